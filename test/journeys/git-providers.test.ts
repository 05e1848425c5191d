import type { api } from "@agent-workspace/client";
import { readFile } from "node:fs/promises";
import { eq } from "drizzle-orm";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { gitConnections } from "#src/db/schema/index.ts";
import { signedIn } from "#test/support/browser.ts";
import { databaseOf } from "#test/support/database.ts";
import { startGitServer } from "#test/support/git-server.ts";
import { startGitHost, type GitHostKind, type GitHostServer } from "#test/support/git-host-server.ts";
import { agree, REGISTERED } from "#test/support/oauth-provider.ts";
import { startService } from "#test/support/service.ts";

const KINDS: readonly GitHostKind[] = ["github", "gitlab", "bitbucket"];
const git = await startGitServer();
/** The repositories of GitLab are those of `git`, open to every token. */
const [github, gitlab, bitbucket] = await Promise.all([
  startGitHost("github"),
  startGitHost("gitlab", git),
  startGitHost("bitbucket"),
]);
const hosts: Record<GitHostKind, GitHostServer> = { github, gitlab, bitbucket };
const service = await startService({
  ...Object.fromEntries(
    ["GITHUB", "GITLAB", "BITBUCKET"].flatMap((name) => [
      [`${name}_CLIENT_ID`, REGISTERED.clientId],
      [`${name}_CLIENT_SECRET`, REGISTERED.clientSecret],
    ]),
  ),
  GITHUB_OAUTH_BASE_URL: hosts.github.url,
  GITHUB_API_BASE_URL: `${hosts.github.url}/api/v3`,
  GITLAB_API_BASE_URL: `${hosts.gitlab.url}/`,
  BITBUCKET_OAUTH_BASE_URL: hosts.bitbucket.url,
  BITBUCKET_API_BASE_URL: hosts.bitbucket.url,
  OUTBOUND_ALLOW_PRIVATE: "true",
  DEPLOYMENT_ENCRYPTION_KEY: "not a Fernet key, and long enough to be hashed to one",
});
afterAll(async () => {
  await service.close();
  await Promise.all([...Object.values(hosts), git].map((each) => each.close()));
});
const db = databaseOf(service);

beforeEach(() => {
  for (const host of Object.values(hosts)) {
    host.heal();
    host.lifetime = null;
  }
});

/** A new person who agreed at the host's page, about to come back in this browser. */
async function goTo(kind: GitHostKind) {
  const { account, who, token } = await signedIn(service);
  const begun = await who.call<api.BeginGitHostConnectionAnswer>(
    "GET",
    `/api/git-providers/${kind}/oauth/authorize`,
    { token },
  );
  const back = await agree(begun.body.authorization_url);
  const comeBack = (headers: Record<string, string> = {}) =>
    who.call("GET", back.pathname + back.search, { headers });
  const call = <T = unknown>(method: string, below: string, json?: unknown) =>
    service.call<T>(method, `/api/git-providers/${below}`, { token, json });
  return { account, token, begun, back, comeBack, call };
}

async function connected(kind: GitHostKind) {
  const about = await goTo(kind);
  expect((await about.comeBack()).status).toBe(200);
  return about;
}

/** What the audit log of the person's own team says about git hosts, newest first. */
async function auditLog(token: string) {
  const { body: teams } = await service.call<{ slug: string }[]>("GET", "/api/teams", { token });
  const path = `/api/teams/${teams[0]?.slug}/audit-log?resource_type=git_host`;
  return (await service.call<unknown[]>("GET", path, { token })).body;
}

describe.each(KINDS)("an account at %s", (kind) => {
  it("is connected by OAuth, and says what it may reach", async () => {
    const { account, begun, back, comeBack, call } = await goTo(kind);
    expect(begun.body).toMatchObject({ provider: kind, state: expect.any(String) });
    expect(back.origin + back.pathname).toBe(`${service.url}/api/git-providers/${kind}/oauth/callback`);
    expect(await comeBack()).toMatchObject({
      status: 200,
      body: { connected: true, provider: kind, provider_username: "octo" },
    });
    expect((await call("GET", `${kind}/status`)).body).toMatchObject({
      connected: true,
      auth_type: "oauth_token",
      provider_username: "octo",
      provider_email: "octo@example.com",
      scope: expect.any(String),
    });
    const repository = { full_name: "octo/private", private: true, default_branch: "main" };
    const { body } = await call<{ repositories: { clone_url: string }[] }>("GET", `${kind}/repositories`);
    expect(body.repositories).toMatchObject([
      { ...repository, clone_url: `${hosts[kind].url}/octo/private.git` },
    ]);
    expect((await call("GET", `${kind}/repositories/octo/private`)).body).toMatchObject(repository);
    expect((await call("GET", `${kind}/repositories/octo/private/branches`)).body).toMatchObject({
      branches: [{ name: "main", sha: "a".repeat(40) }],
    });
    expect((await call("GET", `${kind}/repositories/octo/other`)).status).toBe(404);

    expect((await call("DELETE", `${kind}/disconnect`)).status).toBe(200);
    expect(await auditLog(account.token)).toMatchObject([
      { action: "git_host.disconnected", resource_id: kind, details: null },
      {
        action: "git_host.connected",
        resource_id: kind,
        details: { username: "octo", auth_type: "oauth_token" },
        user_id: account.id,
        ip_address: "127.0.0.1",
      },
    ]);
    expect(await call("GET", `${kind}/repositories`)).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/^Connect your .* account first$/u) },
    });
  });

  it("is connected by a token of its owner, and not by one that the host refuses", async () => {
    const { token } = await service.signUp("git");
    const put = (json: object) => service.call("PUT", `/api/git-providers/${kind}/token`, { token, json });
    const username = kind === "bitbucket" ? { username: "octo@example.com" } : {};
    const secret = hosts[kind].newToken();
    expect(await put({ token: "no-such-token", ...username })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("refused the token") },
    });
    expect(await put({ token: secret, ...username })).toMatchObject({
      status: 200,
      body: { connected: true, provider_username: "octo" },
    });
    const rows = await db.select().from(gitConnections).where(eq(gitConnections.provider, kind));
    const entries = await auditLog(token);
    expect(entries).toMatchObject([
      { action: "git_host.connected", details: { username: "octo", auth_type: "personal_access_token" } },
    ]);
    expect(JSON.stringify([rows, entries])).not.toContain(secret);
    hosts[kind].fail(/user/u, "answers 500");
    expect((await put({ token: secret, ...username })).status).toBe(503);
  });

  it("has an expired token refreshed once, however many ask", async () => {
    hosts[kind].lifetime = 1;
    const { call } = await connected(kind);
    hosts[kind].expireTokens();
    hosts[kind].lifetime = 7200;
    const asked = () => hosts[kind].requests.filter((line) => /^POST .*token/u.test(line)).length;
    const before = asked();
    const answers = await Promise.all([1, 2, 3].map(() => call("GET", `${kind}/repositories`)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(asked() - before).toBe(1);
  });
});

describe("the way back from a git host", () => {
  it("is a page for a browser", async () => {
    const { comeBack } = await goTo("gitlab");
    const { status, text, headers } = await comeBack({ accept: "text/html,*/*;q=0.8" });
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(text).toContain("GitLab is connected");
    expect(headers.getSetCookie()).toEqual(["git_oauth_state=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax"]);
  });

  it("connects nothing where the host fails", async () => {
    const { comeBack, call } = await goTo("gitlab");
    hosts.gitlab.fail(/token/u, "answers garbage");
    const { status, text } = await comeBack();
    expect([status, text]).toEqual([400, '{"detail":"GitLab was not connected: try again"}']);
    expect((await call("GET", "gitlab/status")).body).toMatchObject({ connected: false });
  });
});

it("a clone of a repository of a connected account takes its token there, and leaves it nowhere", async () => {
  git.create("octo-private", { "secret.txt": "s\n" });
  const url = `${hosts.gitlab.url}/octo-private`;
  const { token } = await service.signUp("private");
  const { id } = await service.newProject(token);
  const call = (method: string, below: string, json?: unknown) =>
    service.call(method, `/api/projects/${id}/git/${below}`, { token, json });
  const file = (path: string) => `/api/projects/${id}/files/${path}`;
  expect((await call("POST", "clone", { repo_url: url })).status).toBe(401);

  const secret = hosts.gitlab.newToken();
  const json = { token: secret };
  expect((await service.call("PUT", "/api/git-providers/gitlab/token", { token, json })).status).toBe(200);
  expect(await call("POST", "clone", { repo_url: url })).toMatchObject({ body: { status: "cloned" } });
  expect((await service.call("GET", file("secret.txt"), { token })).body).toMatchObject({ content: "s\n" });
  await service.call("PUT", file("more.txt"), { token, json: { content: "m" } });
  expect((await call("POST", "commit", { message: "More" })).status).toBe(200);
  expect((await call("POST", "push", {})).status).toBe(200);
  expect(git.log("octo-private", "main")).toEqual(["More", "first"]);
  const config = await service.call("GET", file(".git/config"), { token });
  expect(config.text).toContain(url);
  expect(config.text).not.toContain(secret);

  // A remote elsewhere gets none of it, whatever the repository's configuration says.
  const elsewhere = git.create("elsewhere", { "a.txt": "a" });
  await call("POST", "init", { repo_url: elsewhere });
  await call("POST", "push", { force: true });
  const seen = git.requests.filter((each) => each.url.startsWith("/elsewhere"));
  expect(seen.length).toBeGreaterThan(0);
  expect(seen.map(({ authorization }) => authorization)).toEqual(seen.map(() => undefined));

  // Others of the project are not the one whose token it is.
  expect((await service.call("DELETE", "/api/git-providers/gitlab/disconnect", { token })).status).toBe(200);
  await call("POST", "init", { repo_url: url });
  expect(await call("POST", "push", {})).toMatchObject({
    status: 400,
    body: { detail: expect.stringContaining("connect your account") },
  });
});

it("asks to connect again when the host does not renew the grant", async () => {
  hosts.gitlab.lifetime = 1;
  const { call } = await connected("gitlab");
  hosts.gitlab.fail(/token/u, "answers 500");
  expect(await call("GET", "gitlab/repositories")).toMatchObject({
    status: 400,
    body: { detail: "The connection to GitLab has expired: connect your account again" },
  });
});

it("tells no secret in its log", async () => {
  const secrets = Object.values(hosts).flatMap((host) => host.secrets);
  expect(secrets.length).toBeGreaterThan(10);
  const all = await readFile(service.stack.logFile, "utf8");
  expect(all).toContain("git host was not connected");
  expect(secrets.filter((secret) => all.includes(secret))).toEqual([]);
});
