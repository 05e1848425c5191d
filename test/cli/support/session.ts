import type { Account, ApiClient } from "#test/support/api-client.ts";
import { newMachine, type Machine } from "./machine.ts";

/** A session of a person for a program, made as a device sign-in makes it. */
export async function programSession(
  service: ApiClient,
  { token }: Pick<Account, "token">,
): Promise<{ accessToken: string; refreshToken: string }> {
  const begin = { json: { client_name: "workspace on a test" } };
  const begun = await service.call<{ device_code: string; user_code: string }>(
    "POST",
    "/api/auth/device/code",
    begin,
  );
  await decide(service, token, begun.body.user_code, "approve");
  const { status, text, body } = await service.call<{ access_token: string; refresh_token: string }>(
    "POST",
    "/api/auth/device/token",
    { json: { device_code: begun.body.device_code } },
  );
  if (status !== 200) throw new Error(`The device sign-in answered ${status}: ${text}`);
  return { accessToken: body.access_token, refreshToken: body.refresh_token };
}

/** A person decides on a code, as on the page of the service. */
export async function decide(
  service: ApiClient,
  token: string,
  userCode: string,
  decision: "approve" | "deny",
): Promise<void> {
  const { status, text } = await service.call("POST", "/api/auth/device/decide", {
    token,
    json: { user_code: userCode, decision },
  });
  if (status !== 204) throw new Error(`The decision was answered with ${status}: ${text}`);
}

/** A machine on which a person is signed in, and whose commands go to the service. */
export async function machineOf(service: ApiClient, person: Pick<Account, "token">): Promise<Machine> {
  const machine = await newMachine({ WORKSPACE_URL: service.url });
  await machine.storeSession(service.url, await programSession(service, person));
  return machine;
}
