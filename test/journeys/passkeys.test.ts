import { expect, it } from "vitest";
import type { CreationOptions, RequestOptions } from "#src/platform/webauthn/webauthn.ts";
import { browser, signedIn } from "#test/support/browser.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { SoftwareAuthenticator } from "#test/support/software-authenticator.ts";

const service = sharedService();

const PASSKEYS = "/api/users/me/passkeys";
const OPTIONS = "/api/auth/passkeys/options";
const SIGN_IN = "/api/auth/passkeys/sign-in";

const port = new URL(service.url).port;
/** Browsers take no IP address for passkeys, so the service at 127.0.0.1 is the one at localhost. */
const ORIGIN = `http://localhost:${port}`;

it("passkeys over HTTP are added by a browser that is signed in, and sign another one in with the session's cookies", async () => {
  const flags = await service.call("GET", "/api/feature-flags");
  expect(flags.body).toMatchObject({ passkey_origin: ORIGIN });
  const { account, who } = await signedIn(service);
  const authenticator = new SoftwareAuthenticator(ORIGIN);
  const begun = await who.change<CreationOptions>("POST", `${PASSKEYS}/options`, { json: {} });
  expect(begun).toMatchObject({
    status: 200,
    body: {
      rp: { id: "localhost", name: "Agent Workspace" },
      user: { name: account.email, displayName: account.username },
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      attestation: "none",
    },
  });
  expect(begun.headers.get("cache-control")).toBe("no-store");
  expect(begun.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^new_passkey_challenge=[\w%-]+; Max-Age=300; Path=\/; HttpOnly; SameSite=Lax$/u),
  ]);
  // The cookie holds what the page does not need to know.
  expect(begun.headers.getSetCookie()[0]).not.toContain(begun.body.challenge);
  const json = { name: " Laptop ", credential: authenticator.create(begun.body) };
  const added = await who.change<{ id: string }>("POST", PASSKEYS, { json });
  expect(added).toMatchObject({ status: 201, body: { name: "Laptop", last_used_at: null } });
  expect(who.cookies.has("new_passkey_challenge")).toBe(false);

  const other = browser(service);
  const asked = await other.call<RequestOptions>("POST", OPTIONS, { json: {} });
  expect(asked).toMatchObject({ status: 200, body: { rpId: "localhost", allowCredentials: [] } });
  const credential = authenticator.get(asked.body);
  const answer = await other.call("POST", SIGN_IN, { json: { credential } });
  expect(answer).toMatchObject({
    status: 200,
    body: { access_token: expect.stringMatching(/^eyJ/u), requires_2fa: false, temp_token: null },
  });
  expect([...other.cookies.keys()].toSorted()).toEqual(["refresh_token", "session"]);
  expect((await other.call("GET", "/api/users/me")).body).toMatchObject({ id: account.id });
  const { body: list } = await other.call("GET", PASSKEYS);
  expect(list).toEqual([
    {
      id: added.body.id,
      name: "Laptop",
      is_backed_up: false,
      created_at: expect.any(String),
      last_used_at: expect.stringMatching(/Z$/u),
    },
  ]);

  const path = `${PASSKEYS}/${added.body.id}`;
  expect(await other.change("PATCH", path, { json: { name: "Old" } })).toMatchObject({
    body: { name: "Old" },
  });
  expect((await other.change("POST", `${path}/remove`, { json: {} })).status).toBe(204);
  expect((await who.call("GET", PASSKEYS)).body).toEqual([]);
});
