import { readFile } from "node:fs/promises";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databaseOf } from "#test/support/database.ts";
import {
  askProvider,
  newDeployer,
  PROVIDERS,
  tellStandin,
  type Deployer,
  type Provider,
} from "#test/support/deployer.ts";
import { startGitServer, type GitServer } from "#test/support/git-server.ts";
import { startService, type TestService } from "#test/support/service.ts";
import { openSocket } from "#test/support/socket.ts";

let git: GitServer;
let service: TestService;
beforeAll(async () => {
  git = await startGitServer();
  service = await startService({ DEPLOYMENT_POLL_SECONDS: "1", OUTBOUND_ALLOW_PRIVATE: "true" });
});
afterAll(() => Promise.all([service?.close(), git?.close()]));

const SITE = { "index.html": "<h1>Hello</h1>" };
const PROGRAM = { "package.json": '{"scripts":{"start":"node ."}}', "public/index.html": "<h1>Hello</h1>" };

async function newScene(provider: Provider, token?: string) {
  const deployer = await newDeployer(service);
  await deployer.connect(provider, undefined, token);
  const project = await deployer.newProject({});
  if (provider === "digitalocean")
    await deployer.clone(project, git.create(project.id, { "README.md": "# Site\n" }));
  await deployer.write(project, provider === "heroku" ? PROGRAM : SITE);
  const { body } = await deployer.call<{ container: { id: string } }>(
    "POST",
    `/api/projects/${project.id}/containers`,
    { name: "web", directory: ".", environment_vars: { SHARED: "of-container", OWN: "own-of-container" } },
  );
  return { deployer, project, container: body.container.id };
}

type Variables = { key: string; value?: string }[];

/** The variables that a provider has for the only site of an account; a value that it never shows again is left out. */
async function variablesAt(provider: Provider, { hostingToken }: Deployer): Promise<Record<string, unknown>> {
  const ask = <T>(path: string) => askProvider<T>(service, hostingToken, `/${provider}${path}`);
  if (provider === "vercel") {
    const { projects } = await ask<{ projects: { id: string }[] }>("/v9/projects");
    const { envs } = await ask<{ envs: Variables }>(`/v9/projects/${projects[0]?.id}/env`);
    return Object.fromEntries(envs.map(({ key, value }) => [key, value]));
  }
  if (provider === "netlify") {
    const [site] = await ask<{ id: string; account_slug: string }[]>("/api/v1/sites");
    const found = await ask<{ key: string; values: { value: string }[] }[]>(
      `/api/v1/accounts/${site?.account_slug}/env?site_id=${site?.id}`,
    );
    return Object.fromEntries(found.map(({ key, values }) => [key, values[0]?.value]));
  }
  if (provider === "heroku") {
    const [app] = await ask<{ id: string }[]>("/apps");
    return ask(`/apps/${app?.id}/config-vars`);
  }
  const { apps } = await ask<{ apps: { spec: { static_sites: { envs: Variables }[] } }[] }>("/v2/apps");
  const envs = apps[0]?.spec.static_sites[0]?.envs ?? [];
  return Object.fromEntries(envs.map(({ key }) => [key, undefined]));
}

describe("variables", () => {
  it.each(["vercel", "netlify", "heroku", "digitalocean"] as const)(
    "of the request and of the container reach %s, the request's before the container's",
    async (provider) => {
      const { deployer, project, container } = await newScene(provider);
      const env_vars = { GREETING: "hello-of-request", SHARED: "of-request" };
      const fields = { provider, container_id: container, env_vars };
      await deployer.succeeded(await deployer.deploy(project, fields));
      const isHidden = provider === "digitalocean";
      const shown = (given: Record<string, string>) =>
        Object.fromEntries(Object.entries(given).map(([key, value]) => [key, isHidden ? undefined : value]));
      expect(await variablesAt(provider, deployer)).toEqual(shown(env_vars));
      const both = await deployer.deploy(project, { ...fields, include_container_env: true });
      await deployer.succeeded(both);
      expect(await variablesAt(provider, deployer)).toEqual(shown({ ...env_vars, OWN: "own-of-container" }));
    },
  );

  it("are given to the build, and left out of its log", async () => {
    const { deployer, project } = await newScene("netlify");
    const over = await deployer.succeeded(
      await deployer.deploy(project, {
        provider: "netlify",
        build_command:
          'mkdir -p dist && echo "saying $GREETING" && echo "$GREETING $NODE_ENV" > dist/index.html',
        env_vars: { GREETING: "canary-of-the-build" },
      }),
    );
    expect(over.logs?.join("\n")).toContain("saying ***");
    expect(JSON.stringify(over)).not.toContain("canary-of-the-build");
  });
});

/** Every value of every column, but for those that are said to be encrypted. */
async function plainDatabase(): Promise<string> {
  const db = databaseOf(service);
  const { rows: tables } = await db.execute<{ name: string }>(
    sql`SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`,
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await db.execute(sql`SELECT to_jsonb(t)::text AS row FROM ${sql.identifier(name)} t`);
    texts.push(JSON.stringify(rows));
  }
  expect(texts.length).toBeGreaterThan(20);
  return texts.join("\n");
}

describe("a token and the value of a variable", () => {
  it("are in no answer, frame, log and column", async () => {
    const seen: string[] = [];
    const values: string[] = [];
    for (const provider of PROVIDERS) {
      const mark = crypto.randomUUID().replaceAll("-", "");
      const [token, value] = [`standin_token-${mark}`, `value-${mark}`];
      values.push(token, value);
      const { deployer, project } = await newScene(provider, token);
      const socket = await openSocket(
        service.url,
        `/ws/chat/${project.id}?${new URLSearchParams({ token: deployer.token })}`,
      );
      const call: Deployer["call"] = async (...request) => {
        const answer = await deployer.call(...request);
        seen.push(answer.text, JSON.stringify([...answer.headers]));
        // What the answer is, the caller says.
        return JSON.parse(JSON.stringify(answer));
      };
      const wish = {
        project_id: project.id,
        provider,
        env_vars: { SECRET: value },
        ...(["netlify", "cloudflare"].includes(provider) && {
          build_command: 'echo "building with $SECRET"; env | sort',
        }),
      };
      const begun = await call("POST", "/api/deployments", wish);
      expect([provider, begun.status]).toEqual([provider, 200]);
      await deployer.ended(begun.body);
      for (const end of ["", "/status", "/logs", "/stream"]) {
        await call("GET", `/api/deployments/${begun.body.id}${end}`);
      }
      // Providers repeat what they were sent in what they refuse.
      await tellStandin(service, "faults", {
        call: `${provider} GET **`,
        status: 422,
        times: 2,
      });
      const refused = await call("POST", "/api/deployments", wish);
      await deployer.ended(refused.body);
      await tellStandin(service, "faults", { faults: [] });
      await call("GET", `/api/deployments/${refused.body.id}`);
      await call("POST", "/api/deployments", { ...wish, build_command: `${value}\0` });
      await call("POST", "/api/deployments", { ...wish, env_vars: { "": value } });
      await call("GET", "/api/deployments");
      await call("GET", "/api/deployment-credentials");
      await call("DELETE", `/api/deployments/${begun.body.id}`);
      seen.push(JSON.stringify(socket.frames));
      expect(socket.frames.length).toBeGreaterThan(0);
      socket.close();
    }
    const places = {
      answers: seen.join("\n"),
      log: await readFile(service.stack.logFile, "utf8"),
      database: await plainDatabase(),
    };
    const found = Object.entries(places).flatMap(([place, text]) =>
      values.filter((value) => text.includes(value)).map((value) => [place, value.slice(0, 20)]),
    );
    expect(found).toEqual([]);
  });
});
