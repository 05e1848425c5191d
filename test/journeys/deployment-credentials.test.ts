import type { api } from "@agent-workspace/client";
import { describe, expect, it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";

const service = sharedService();

const BASE = "/api/deployment-credentials";

interface Answer extends api.DeploymentCredential {
  detail: string;
}

async function newOwner() {
  const account = await service.signUp("deployer");
  const call = <T = Answer>(method: string, path: string, json?: unknown) =>
    service.call<T>(method, path, { token: account.token, ...(json !== undefined && { json }) });
  const list = async (query = "") =>
    (await call<api.ListDeploymentCredentialsAnswer>("GET", `${BASE}/${query}`)).body.credentials;
  return { ...account, call, list };
}

const wish = (fields: object = {}) => ({ provider: "vercel", access_token: "token-1", ...fields });

it("hosting providers are listed to everybody, with what is entered for each", async () => {
  const { status, body } = await service.call<{ providers: Record<string, unknown>[] }>(
    "GET",
    `${BASE}/providers`,
  );
  expect(status).toBe(200);
  expect(body.providers.map(({ name, required_fields: required }) => [name, required])).toEqual([
    ["vercel", ["token"]],
    ["netlify", ["token"]],
    ["cloudflare", ["api_token", "account_id"]],
    ["heroku", ["api_key"]],
    ["digitalocean", ["api_token"]],
  ]);
});

describe("a credential", () => {
  it("is stored, replaced, listed under both addresses, changed and deleted", async () => {
    const { id: user_id, call, list } = await newOwner();
    const metadata = { team_id: "team_1", account_id: null, email: "", refresh_token: "refresh-1" };
    const stored = await call("POST", `${BASE}/`, wish({ metadata }));
    expect(stored).toMatchObject({
      status: 201,
      body: {
        id: expect.any(String),
        user_id,
        project_id: null,
        provider: "vercel",
        auth_type: "token",
        metadata: { team_id: "team_1", refresh_token: "***" },
        is_default: true,
      },
    });
    const again = await call("POST", BASE, wish({ access_token: "token-2" }));
    expect(again.body).toMatchObject({ id: stored.body.id, metadata: null });
    expect(await list()).toEqual([again.body]);
    const other = await call<api.ListDeploymentCredentialsAnswer>("GET", "/api/deployments/credentials");
    expect(other.body.credentials).toEqual([again.body]);

    const path = `${BASE}/${stored.body.id}`;
    const changed = await call("PUT", path, { metadata: { team_id: "team_2", account_name: "Ada" } });
    expect(changed.body.metadata).toEqual({ team_id: "team_2", account_name: "Ada" });
    const merged = await call("PUT", path, { token: "token-3", metadata: { team_id: null } });
    expect(merged).toMatchObject({ status: 200, body: { metadata: { account_name: "Ada" } } });
    expect(await call("DELETE", path)).toMatchObject({ status: 204, text: "" });
    expect(await list()).toEqual([]);
  });

  const REFUSED: [object, number, RegExp][] = [
    [{ access_token: undefined }, 422, /^access_token: is required$/u],
    [{ access_token: "a\nb" }, 422, /must be a token/u],
    [{ metadata: { colour: "red" } }, 422, /^metadata\.colour: is not a known/u],
    [{ provider: "cloudflare" }, 400, /Cloudflare.* needs account_id/u],
    [{ project_id: "no-such-project" }, 404, /^Project not found$/u],
  ];

  it("is refused with the field that is wrong", async () => {
    const { call, list } = await newOwner();
    for (const [fields, status, detail] of REFUSED) {
      const answer = await call("POST", BASE, wish(fields));
      expect([answer.status, answer.body.detail]).toEqual([status, expect.stringMatching(detail)]);
    }
    expect(await list()).toEqual([]);
  });
});
