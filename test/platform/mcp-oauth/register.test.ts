import { expect, it } from "vitest";
import { createMcpOAuth } from "#src/platform/mcp-oauth/index.ts";

const SERVER = {
  issuer: "https://id.example.com",
  authorizationEndpoint: "https://id.example.com/authorize",
  tokenEndpoint: "https://id.example.com/token",
  registrationEndpoint: "https://id.example.com/register",
  revocationEndpoint: null,
  authMethods: [],
  takesClientDocuments: false,
  namesItself: false,
};

/** Registers at a server that gives a secret with this end, in seconds since 1970. */
function registered(secretExpires: number) {
  const made = {
    client_id: "one",
    client_secret: "a-secret",
    client_secret_expires_at: secretExpires,
    redirect_uris: ["https://workspace.example.com/api/mcp/oauth/callback"],
  };
  const oauth = createMcpOAuth({
    publicUrl: "https://workspace.example.com",
    safeFetch: async (url) => ({
      status: 201,
      headers: new Headers({ "content-type": "application/json" }),
      body: new TextEncoder().encode(JSON.stringify(made)),
      url,
      truncated: false,
    }),
  });
  return oauth.register(SERVER);
}

it.each([
  [1_800_000_000, new Date("2027-01-15T08:00:00.000Z")],
  [0, null],
  // After all dates that there are.
  [1e20, null],
])("a registered client's secret that ends at %d", async (seconds, end) => {
  expect(await registered(seconds)).toMatchObject({ clientId: "one", secretExpiresAt: end });
});
