import { describe, expect, it } from "vitest";
import { browser, signedIn } from "#test/support/browser.ts";
import { allow, decide, newRawClient, openPage, REDIRECT_URI } from "#test/support/oauth-client.ts";
import { sharedService } from "#test/support/shared-service.ts";

// The rules are tried in test/domain/programs/connected-apps; here is what only the whole service has: pages, cookies, guards.

const service = sharedService();
const { who: person, token } = await signedIn(service);
const client = await newRawClient(service);

const newRequest = async () => (await openPage(person, client.asking())).body.request?.id ?? "";
const allowing = { decision: "allow", scopes: ["file.read"] };

/** A client's tokens, from its person's consent on. */
async function newTokens() {
  const back = await allow(person, client.asking());
  return (await client.exchange(back.searchParams.get("code") ?? "")).body;
}

describe("a person is sent", () => {
  it.each([
    ["nowhere by an unknown client", { client_id: "mcp_unknown" }],
    ["nowhere by no client", { client_id: "" }],
    ["to no address that was not registered", { redirect_uri: "https://evil.example/callback" }],
    [
      "to no address that only begins like a registered one",
      { redirect_uri: `${REDIRECT_URI}.evil.example` },
    ],
    [
      "to no address of a client that is refused for more",
      { redirect_uri: "javascript:alert(1)", response_type: "token" },
    ],
    ["nowhere without an address", { redirect_uri: "" }],
    [
      "nowhere by the document of a client in the private network",
      { client_id: "https://127.0.0.1/mcp.json" },
    ],
  ])("%s", async (_, other) => {
    const { status, body } = await openPage(person, client.asking(other));
    expect([status, Object.keys(body)]).toEqual([400, expect.not.arrayContaining(["refused"])]);
    expect(JSON.stringify(body)).not.toMatch(/evil|javascript/u);
  });

  it.each([
    ["no code is asked for", { response_type: "token" }, "unsupported_response_type"],
    ["there is no challenge", { code_challenge: "" }, "invalid_request"],
    ["the challenge is the verifier itself", { code_challenge_method: "plain" }, "invalid_request"],
    ["the token would be for another server", { resource: "https://other.example/mcp" }, "invalid_target"],
    ["nothing known is asked for", { scope: "everything" }, "invalid_scope"],
  ])("back to the client, with its state, when %s", async (_, other, error) => {
    const { status, body } = await openPage(person, client.asking(other));
    expect([status, body.request]).toEqual([200, null]);
    const back = new URL(body.refused?.redirect_to ?? "");
    expect(back.href.startsWith(`${REDIRECT_URI}?`)).toBe(true);
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      error,
      state: "its-state",
      iss: service.stack.variables["PUBLIC_URL"],
    });
    expect(back.searchParams.has("code")).toBe(false);
  });
});

describe("nothing is allowed", () => {
  it("by another session, also one of the same person, a visitor, a key or a connected app", async () => {
    const id = await newRequest();
    const { key } = await service.newKey(token);
    const { access_token: app } = await newTokens();
    const { who: same } = await signedIn(service);
    const { who: stranger } = await signedIn(service);
    for (const other of [same, stranger]) expect((await decide(other, id, allowing)).status).toBe(404);
    expect((await decide(browser(service), id, allowing)).status).toBe(401);
    for (const other of [key, app]) {
      const path = `/api/auth/connected-apps/requests/${id}/decide`;
      expect((await service.call("POST", path, { token: other, json: allowing })).status).toBe(401);
    }
    expect((await decide(person, id, allowing)).status).toBe(200);
  });

  it("by a visitor's cookies without the CSRF token, or from a page of another origin", async () => {
    const id = await newRequest();
    const { body } = await person.call<{ csrf_token: string }>("GET", "/api/auth/csrf");
    const csrf = { "x-csrf-token": body.csrf_token };
    const path = `/api/auth/connected-apps/requests/${id}/decide`;
    for (const headers of [{}, { ...csrf, origin: "https://evil.example" }, { ...csrf, origin: "null" }]) {
      const forged = await person.call("POST", path, { json: allowing, headers });
      expect(forged).toMatchObject({ status: 403, body: { detail: expect.stringContaining("CSRF") } });
    }
    expect((await decide(person, id, allowing)).status).toBe(200);
  });
});

it("a code is nothing to the client that has stolen it", async () => {
  const thief = await newRawClient(service);
  const code = (await allow(person, client.asking())).searchParams.get("code") ?? "";
  expect((await thief.exchange(code)).body.error).toBe("invalid_grant");
  const guessed = await client.exchange(code, { code_verifier: "y".repeat(43) });
  expect([guessed.status, guessed.body.error]).toEqual([400, "invalid_grant"]);
  expect((await client.exchange(code, { code_verifier: "" })).body.error).toBe("invalid_request");
  expect((await client.exchange(code)).status).toBe(200);
});

describe("the token of a connected app", () => {
  it("is good at the MCP server alone", async () => {
    const { access_token: app, refresh_token: refresh } = await newTokens();
    const json = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    expect((await service.call("POST", "/mcp", { token: app, json })).status).toBe(200);
    expect((await service.call("POST", "/mcp", { token: refresh, json })).status).toBe(401);
    expect((await service.call("POST", "/mcp", { headers: { cookie: `session=${app}` }, json })).status).toBe(
      401,
    );
    for (const path of ["/api/projects", "/api/users/me", "/api/external-api-keys", "/api/v1/models"]) {
      expect([path, (await service.call("GET", path, { token: app })).status]).toEqual([path, 401]);
    }
    const invoked = await service.call("POST", "/api/external/agent/invoke", {
      token: app,
      json: { project_id: crypto.randomUUID(), message: "x" },
    });
    expect(invoked.status).toBe(401);
  });

  it("is stored as a hash, and is not in what its person is shown", async () => {
    const { access_token: app, refresh_token: refresh } = await newTokens();
    const { text } = await service.call("GET", "/api/auth/connected-apps", { token });
    expect(text).not.toMatch(new RegExp(`${app}|${refresh}`, "u"));
  });

  it("ends with every other session of its person, when the person asks for that", async () => {
    const { access_token: app } = await newTokens();
    expect((await service.call("DELETE", "/api/auth/sessions", { token })).status).toBe(200);
    const json = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    expect((await service.call("POST", "/mcp", { token: app, json })).status).toBe(401);
  });
});
