import { readFile } from "node:fs/promises";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { auditLog, deploymentCredentials } from "#src/db/schema/index.ts";
import { databaseOf } from "#test/support/database.ts";
import { sharedService } from "#test/support/shared-service.ts";

const service = sharedService();
const db = databaseOf(service);

const BASE = "/api/deployment-credentials";

interface Credential {
  id: string;
  project_id: string | null;
  metadata: Record<string, string> | null;
}

async function newOwner() {
  const account = await service.signUp("deployer");
  const call = <T = Credential & { detail: string }>(method: string, path: string, json?: unknown) =>
    service.call<T>(method, path, { token: account.token, ...(json !== undefined && { json }) });
  const list = async (query = "") =>
    (await call<{ credentials: Credential[] }>("GET", `${BASE}/${query}`)).body.credentials;
  return { ...account, call, list };
}

const wish = (fields: object = {}) => ({ provider: "vercel", access_token: "token-1", ...fields });

describe("hosting providers", () => {
  it("are listed to everybody, with what is entered for each", async () => {
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
    for (const provider of body.providers) {
      expect(provider).toMatchObject({
        display_name: expect.any(String),
        description: expect.any(String),
        auth_type: expect.stringMatching(/^(oauth|api_token)$/u),
        optional_fields: expect.any(Array),
      });
    }
  });
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
        is_readable: true,
        created_at: expect.stringMatching(/Z$/u),
        updated_at: expect.stringMatching(/Z$/u),
      },
    });
    const again = await call("POST", BASE, wish({ access_token: "token-2" }));
    expect(again.body).toMatchObject({ id: stored.body.id, metadata: null });
    expect(await list()).toEqual([again.body]);
    const other = await call<{ credentials: Credential[] }>("GET", "/api/deployments/credentials");
    expect(other.body.credentials).toEqual([again.body]);

    const path = `${BASE}/${stored.body.id}`;
    const changed = await call("PUT", path, { metadata: { team_id: "team_2", account_name: "Ada" } });
    expect(changed.body.metadata).toEqual({ team_id: "team_2", account_name: "Ada" });
    const merged = await call("PUT", path, { token: "token-3", metadata: { team_id: null } });
    expect(merged).toMatchObject({ status: 200, body: { metadata: { account_name: "Ada" } } });
    expect(await call("DELETE", path)).toMatchObject({ status: 204, text: "" });
    expect([(await call("DELETE", path)).status, (await call("PUT", path, {})).status]).toEqual([404, 404]);
    expect((await call("POST", `${BASE}/test/${stored.body.id}`)).status).toBe(404);
    expect(await list()).toEqual([]);
  });

  it("is taken under each name of a token", async () => {
    const { call, list } = await newOwner();
    for (const name of ["access_token", "api_token", "token", "api_key"])
      expect((await call("POST", BASE, { provider: "heroku", [name]: "token-1" })).status).toBe(201);
    expect(await list()).toHaveLength(1);
  });

  it("is filtered by provider and project", async () => {
    const { token, call, list } = await newOwner();
    const { id, slug } = await service.newProject(token);
    await call("POST", BASE, wish());
    await call("POST", BASE, wish({ provider: "netlify" }));
    const own = await call("POST", BASE, wish({ project_id: slug }));
    expect(own).toMatchObject({ status: 201, body: { project_id: id, is_default: false } });
    expect(await list(`?project_id=${id}`)).toEqual([own.body]);
    expect(await list("?provider=vercel")).toHaveLength(2);
    expect(await list("?provider=koyeb")).toEqual([]);
    await call("DELETE", `/api/projects/${id}`);
    expect(await list("?provider=vercel")).toHaveLength(1);
  });

  const REFUSED: [object, number, RegExp][] = [
    [{ access_token: undefined }, 422, /^access_token: is required$/u],
    [{ access_token: "a\nb" }, 422, /must be a token/u],
    [{ access_token: "x".repeat(5000) }, 422, /at most 4096/u],
    [{ metadata: { colour: "red" } }, 422, /^metadata\.colour: is not a known/u],
    [{ metadata: { team_id: 1 } }, 422, /^metadata\.team_id/u],
    [{ metadata: { team_id: "x".repeat(3000) } }, 422, /at most 2000/u],
    [{ metadata: { team_id: "a\0b" } }, 422, /NUL/u],
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

  it("is not found by another person", async () => {
    const [owner, other] = [await newOwner(), await newOwner()];
    const { body } = await owner.call("POST", BASE, wish());
    const path = `${BASE}/${body.id}`;
    for (const [method, at] of [
      ["PUT", path],
      ["DELETE", path],
      ["POST", `${BASE}/test/${body.id}`],
    ] as const)
      expect([method, (await other.call(method, at, {})).status]).toEqual([method, 404]);
    expect([await other.list(), await owner.list()]).toEqual([
      [],
      [expect.objectContaining({ id: body.id })],
    ]);
  });

  it("shows its secrets in no answer, no plain column and no log", async () => {
    const { id: userId, call, list } = await newOwner();
    const canaries = ["canary-a1b2", "canary-c3d4", "canary-e5f6", "canary-g7h8"];
    const [token = "", refresh = "", key = "", next = ""] = canaries;
    const metadata = { refresh_token: refresh, aws_secret_access_key: key, team_id: "team_1" };
    const stored = await call("POST", BASE, wish({ access_token: token, metadata }));
    const path = `${BASE}/${stored.body.id}`;
    const answers = [
      stored.text,
      (await call("PUT", path, { access_token: next, metadata: { email: "a@b.test" } })).text,
      (await call("PUT", path, { metadata: { aws_secret_access_key: key, nonsense: key } })).text,
      (await call("POST", BASE, wish({ access_token: `${token}\n${token}` }))).text,
      JSON.stringify(await list()),
      JSON.stringify(await db.select().from(auditLog).where(eq(auditLog.userId, userId))),
      JSON.stringify(
        await db.select().from(deploymentCredentials).where(eq(deploymentCredentials.userId, userId)),
      ),
      await readFile(service.stack.logFile, "utf8"),
    ];
    expect(canaries.filter((canary) => answers.join("\n").includes(canary))).toEqual([]);
  });
});

describe("an always-on project", () => {
  it("takes the team's place, wakes the project, and gives the place back", async () => {
    const { token, call } = await newOwner();
    const [first, second] = [await service.newProject(token), await service.newProject(token)];
    const limits = async () => (await call("GET", "/api/projects/deployment/limits")).body;
    expect(await limits()).toEqual({
      tier: "free",
      projects: { current: 2, max: expect.any(Number) },
      deploys: { current: 0, base_max: 1, additional_purchased: 0, effective_max: 1 },
      can_deploy_more: true,
      can_create_more_projects: expect.any(Boolean),
    });
    const deployed = await call("POST", `/api/projects/${first.slug}/deploy`);
    expect(deployed).toMatchObject({
      status: 200,
      body: { message: expect.any(String), project_id: first.id, deployed_at: expect.stringMatching(/Z$/u) },
    });
    expect((await call("POST", `/api/projects/${first.id}/deploy`)).body).toEqual(deployed.body);
    expect(await limits()).toMatchObject({ deploys: { current: 1 }, can_deploy_more: false });
    expect(await call("POST", `/api/projects/${second.id}/deploy`)).toMatchObject({
      status: 402,
      body: { detail: expect.stringContaining("places for 1"), current: 1, effective_max: 1, tier: "free" },
    });
    const { body } = await call<{ status: string }>("GET", `/api/projects/${first.id}/status`);
    expect(["starting", "running"]).toContain(body.status);
    expect(await call("DELETE", `/api/projects/${first.id}/deploy`)).toMatchObject({
      status: 200,
      body: { message: expect.any(String), project_id: first.id },
    });
    expect((await call("POST", `/api/projects/${second.id}/deploy`)).status).toBe(200);
  });
});
