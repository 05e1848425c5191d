import type { api } from "@agent-workspace/client";
import { expect, it } from "vitest";
import { UnauthorizedError } from "@modelcontextprotocol/client";
import { signedIn } from "#test/support/browser.ts";
import { auth, connectApp, TestProvider } from "#test/support/connected-app.ts";
import { allow, openPage } from "#test/support/oauth-client.ts";
import { useTool } from "#test/support/mcp-client.ts";
import { sharedService } from "#test/support/shared-service.ts";

const service = sharedService();

const appsOf = async (token: string) =>
  (await service.call<api.ConnectedApp[]>("GET", "/api/auth/connected-apps", { token })).body;

/** The official client until its person has to decide. */
async function newApp(path = "/mcp") {
  const provider = new TestProvider();
  await expect(connectApp(service.url, provider, path)).rejects.toThrow(UnauthorizedError);
  if (!provider.sentTo) throw new Error("The client sent its person nowhere");
  return { provider, address: provider.sentTo };
}

/** The official client, with the code that its person was sent back with. */
async function finish(provider: TestProvider, back: URL, path = "/mcp"): Promise<void> {
  expect(back.searchParams.get("state")).toBe(provider.sentState);
  const authorizationCode = back.searchParams.get("code") ?? "";
  const iss = back.searchParams.get("iss") ?? "";
  const serverUrl = new URL(path, service.url);
  expect(await auth(provider, { serverUrl, authorizationCode, iss })).toBe("AUTHORIZED");
}

it("the official client signs in without a key, works, refreshes, and is disconnected by its person", async () => {
  const { who, token } = await signedIn(service);
  const project = await service.newProject(token);
  const { provider, address } = await newApp();
  expect(`${address.origin}${address.pathname}`).toBe(
    `${service.stack.variables.PUBLIC_URL}/oauth/authorize`,
  );
  await finish(provider, await allow(who, address));
  const client = await connectApp(service.url, provider);
  expect(JSON.stringify(await useTool(client, "list_projects"))).toContain(project.id);
  const [app] = await appsOf(token);
  expect(app).toMatchObject({ client_name: "Test client", returns_to: "this machine" });
  // It is no key that the person made, and shown as none.
  expect((await service.call("GET", "/api/external-api-keys", { token })).body).toEqual([]);

  // The service no longer takes its access token: the client refreshes by itself.
  const first = provider.held;
  const form = { token: first?.access_token ?? "" };
  expect((await service.call("POST", "/oauth/revoke", { form })).status).toBe(200);
  expect(JSON.stringify(await useTool(client, "list_projects"))).toContain(project.id);
  expect(provider.held?.access_token).not.toBe(first?.access_token);
  expect(provider.held?.refresh_token).not.toBe(first?.refresh_token);

  const gone = await service.call("DELETE", `/api/auth/connected-apps/${app?.id}`, { token });
  expect([gone.status, await appsOf(token)]).toEqual([204, []]);
  provider.sentTo = undefined;
  await expect(client.callTool({ name: "list_projects", arguments: {} })).rejects.toThrow(UnauthorizedError);
  // It must ask its person again.
  expect(provider.sentTo).toBeInstanceOf(URL);
});

it("a client at another name of the server signs in, too, and uses only what its person left it", async () => {
  const { who, token } = await signedIn(service);
  const path = "/api/mcp/server";
  const { provider, address } = await newApp(path);
  const { request } = (await openPage(who, address)).body;
  const left = await who.change<{ redirect_to: string }>(
    "POST",
    `/api/auth/connected-apps/requests/${request?.id}/decide`,
    { json: { decision: "allow", scopes: ["file.read", "billing.manage"] } },
  );
  await finish(provider, new URL(left.body.redirect_to), path);
  const client = await connectApp(service.url, provider, path);
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toEqual(["list_project_files", "read_project_file", "search_project_files"]);
  expect((await appsOf(token)).map(({ scopes }) => scopes)).toEqual([["file.read"]]);
});

it("a client that is denied is told so at its own address", async () => {
  const { who } = await signedIn(service);
  const { provider, address } = await newApp();
  const { request } = (await openPage(who, address)).body;
  const decided = await who.change<{ redirect_to: string }>(
    "POST",
    `/api/auth/connected-apps/requests/${request?.id}/decide`,
    { json: { decision: "deny" } },
  );
  const back = new URL(decided.body.redirect_to);
  expect(Object.fromEntries(back.searchParams)).toMatchObject({
    error: "access_denied",
    state: provider.sentState,
    iss: service.stack.variables.PUBLIC_URL,
  });
  expect(back.href).toMatch(/^http:\/\/127\.0\.0\.1:9\/callback\?/u);
});
