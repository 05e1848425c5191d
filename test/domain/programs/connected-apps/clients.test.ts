import { describe, expect, it } from "vitest";
import { readClient, registerClient } from "#src/domain/programs/connected-apps/clients.ts";
import {
  checkRedirectUri,
  isRegistered,
  placeOf,
} from "#src/domain/programs/connected-apps/redirect-uris.ts";
import type { SafeFetch } from "#src/platform/safe-fetch/safe-fetch.ts";

const config = {
  PUBLIC_URL: "https://service.test",
  APP_BASE_URL: "https://console.test",
  DESKTOP_SCHEME: "workspace",
  MCP_REDIRECT_HOSTS: [] as string[],
  SECRET_KEY: "a-secret-key-for-tests-of-32-characters",
};
const refusal = (error: string) => expect.objectContaining({ extra: { error } });

describe("an address to which people are sent back", () => {
  it.each([
    ["https://claude.ai/api/mcp/auth_callback", "claude.ai"],
    ["http://localhost:1455/callback", "this machine"],
    ["http://127.0.0.1/callback?a=b", "this machine"],
    ["http://[::1]:9/", "this machine"],
    ["cursor://anysphere.cursor-mcp/oauth/callback", "the app of cursor:"],
    ["com.example.app:/callback", "the app of com.example.app:"],
  ])("may be %s", (uri, place) => {
    checkRedirectUri(uri, config);
    expect(placeOf(uri)).toBe(place);
  });

  it.each([
    "http://example.com/callback",
    "http://localhost.evil.example/",
    "http://127.0.0.1.evil.example/",
    "http://localhost@evil.example/",
    "https://user@evil.example/",
    "https://evil.example/#fragment",
    "https://evil.example\\@claude.ai/",
    "https://service.test/app",
    "https://console.test/",
    "javascript:alert(1)//",
    "JavaScript://%0aalert(1)",
    "data:text/html,x",
    "microsoft-edge:https://evil.example/cb",
    "googlechrome://evil.example/cb",
    "googlechromes://evil.example/cb",
    "x-safari-https://evil.example/cb",
    "firefox://open-url?url=https://evil.example/cb",
    "touch-https://evil.example/cb",
    "another-https://evil.example/cb",
    "ms-appinstaller:?source=https://evil.example/cb",
    "search-ms:query=x",
    "itms-services://?action=download-manifest&url=https://evil.example/cb",
    "web+anything://evil.example/cb",
    "matrix:u/evil",
    "file:///etc/passwd",
    "workspace://auth/callback?token=tsk_0",
    "//evil.example",
    "/callback",
    "",
    " https://evil.example/",
    "https://evil.example/\n",
    "https://ex\u0430mple.com/",
    `https://evil.example/${"x".repeat(500)}`,
  ])("may not be %j", (uri) => {
    expect(() => checkRedirectUri(uri, config)).toThrow(refusal("invalid_redirect_uri"));
  });

  it("may be at certain hosts alone, where the installation names them", () => {
    const few = { ...config, MCP_REDIRECT_HOSTS: ["claude.ai"] };
    checkRedirectUri("https://claude.ai/callback", few);
    checkRedirectUri("http://localhost/callback", few);
    checkRedirectUri("cursor://app/callback", { ...config, MCP_REDIRECT_HOSTS: ["claude.ai", "cursor:"] });
    for (const uri of [
      "https://evil.example/",
      "https://claude.ai.evil.example/",
      "https://x.claude.ai/",
      "cursor://claude.ai/callback",
      "https://cursor:443/",
    ]) {
      expect(() => checkRedirectUri(uri, few)).toThrow(refusal("invalid_redirect_uri"));
    }
  });

  it.each([
    ["http://localhost:3000/callback", "http://localhost:1/callback", true],
    ["http://localhost/callback", "http://localhost:1/callback", true],
    ["https://a.example/callback", "https://a.example/callback", true],
    ["https://a.example/callback", "https://a.example:8443/callback", false],
    ["https://a.example/callback", "https://a.example/callback/", false],
    ["https://a.example/callback", "https://a.example/callback?next=x", false],
    ["https://a.example/callback", "https://a.example/x/../callback", false],
    ["http://localhost/callback", "http://127.0.0.1/callback", false],
    ["http://localhost/callback", "http://localhost:1/other", false],
    ["http://localhost/callback", "http://localhost:1/x/../callback", false],
    ["http://localhost/callback", "http://LOCALHOST:1/callback", false],
    ["cursor://app/callback", "cursor://app/callback2", false],
  ])("registered as %s, is %s: %j", (registered, asked, isSame) => {
    expect(isRegistered(asked, [registered])).toBe(isSame);
  });
});

const noFetch: SafeFetch = () => Promise.reject(new Error("Nothing was to be fetched"));

describe("a registered client", () => {
  const said = { name: "Laptop", redirectUris: ["http://localhost/callback"] };

  it("is what it said, under an id that nobody else can make", async () => {
    const client = registerClient({ config }, said);
    expect(await readClient({ config, safeFetch: noFetch }, client.clientId)).toEqual(client);
    expect(registerClient({ config }, said).clientId).not.toBe(client.clientId);
    const [sealed = "", signature = ""] = client.clientId.split(".");
    const other = registerClient({ config }, { ...said, redirectUris: ["https://evil.example/"] }).clientId;
    const forged = [
      `${other.split(".")[0]}.${signature}`,
      sealed,
      `${sealed}.`,
      `${sealed}.${signature}x`,
      "mcp_",
      "x",
      registerClient({ config: { ...config, SECRET_KEY: "another-key-of-tests-of-32-characters" } }, said)
        .clientId,
    ];
    for (const id of forged) {
      await expect(readClient({ config, safeFetch: noFetch }, id)).rejects.toEqual(refusal("invalid_client"));
    }
  });

  it.each(["", "cli\u202Eresu", "c\u200Bli", "two\nlines", "\u001B[2J"])(
    "has no name that hides something: %j",
    (name) => {
      expect(() => registerClient({ config }, { ...said, name })).toThrow(refusal("invalid_client_metadata"));
    },
  );

  it("has an id that fits into an address", () => {
    const uris = Array.from({ length: 20 }, (_, place) => `https://a.example/${place}/${"x".repeat(100)}`);
    expect(() => registerClient({ config }, { ...said, redirectUris: uris })).toThrow(
      refusal("invalid_client_metadata"),
    );
  });
});

const serving =
  (body: unknown, { status = 200, truncated = false } = {}): SafeFetch =>
  async (url, options) => {
    expect(options).toMatchObject({ maxRedirects: 0 });
    const bytes = new TextEncoder().encode(JSON.stringify(body));
    return { status, headers: new Headers(), body: bytes, url, truncated };
  };

describe("a client with a document", () => {
  const address = "https://client.example/mcp.json";
  const document = {
    client_id: address,
    client_name: "Editor",
    redirect_uris: ["http://localhost/callback"],
  };
  it("is read at its address, and kept for a while", async () => {
    const own = `${address}?kept`;
    const client = { clientId: own, name: "Editor", redirectUris: document.redirect_uris };
    const served = serving({ ...document, client_id: own, logo_uri: "https://client.example/logo.png" });
    expect(await readClient({ config, safeFetch: served }, own)).toEqual(client);
    expect(await readClient({ config, safeFetch: noFetch }, own)).toEqual(client);
  });

  it.each([
    ["of another client", { ...document, client_id: "https://other.example/mcp.json" }, {}],
    ["without a name", { ...document, client_name: undefined }, {}],
    ["with a name that hides something", { ...document, client_name: "a\u202Eb" }, {}],
    ["without addresses", { ...document, redirect_uris: [] }, {}],
    ["of a client with a secret", { ...document, token_endpoint_auth_method: "client_secret_basic" }, {}],
    ["that is none", [], {}],
    ["that is not there", document, { status: 404 }],
    ["that redirects", document, { status: 302 }],
    ["that is too long", document, { truncated: true }],
  ])("is refused with a document %s", async (_, body, answer) => {
    const read = readClient({ config, safeFetch: serving(body, answer) }, address);
    await expect(read).rejects.toMatchObject({ code: "invalid_input" });
  });

  it.each([
    "https://client.example/",
    "https://client.example",
    "https://CLIENT.example/mcp.json",
    "https://client.example:443/mcp.json",
    "https://client.example/x/../mcp.json",
    "https://user@client.example/mcp.json",
    "https://client.example/mcp.json#x",
    "http://client.example/mcp.json",
  ])("has no such address: %s", async (id) => {
    await expect(readClient({ config, safeFetch: noFetch }, id)).rejects.toEqual(refusal("invalid_client"));
  });
});
