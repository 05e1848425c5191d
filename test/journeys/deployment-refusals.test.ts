import { beforeAll, describe, expect, it } from "vitest";
import { newDeployer, type Answered, type Deployer } from "#test/support/deployer.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { newTeamClient } from "#test/support/team-client.ts";

const service = sharedService();

/** Providers of the interface that is kept, which this service does not serve. */
const OTHERS =
  "koyeb zeabur surge deno-deploy firebase railway render northflank github-pages aws-apprunner gcp-cloudrun azure-container-apps do-container fly dockerhub ghcr download".split(
    " ",
  );
const FIVE = "provider: deployments go to one of `vercel`, `netlify`, `cloudflare`, `heroku`, `digitalocean`";
/** One line, which says something. */
const SENTENCE = /^[^\n]{10,}$/u;

let deployer: Deployer;
let project: { id: string; slug: string };
let foreign: string;
beforeAll(async () => {
  deployer = await newDeployer(service);
  for (const provider of ["vercel", "netlify"] as const) await deployer.connect(provider);
  project = await deployer.newProject({ "index.html": "<h1>Hello</h1>" });
  const other = await deployer.newProject({});
  const { body } = await deployer.call<{ container: { id: string } }>(
    "POST",
    `/api/projects/${other.id}/containers`,
    { name: "web" },
  );
  foreign = body.container.id;
});

const deploy = (fields: object) =>
  deployer.call("POST", "/api/deployments", { project_id: project.id, provider: "netlify", ...fields });

async function expectNothing() {
  const { body } = await deployer.call<Answered[]>("GET", `/api/deployments?project_id=${project.id}`);
  expect(body).toEqual([]);
}

describe("a deployment is refused, with a sentence,", () => {
  it("to each of the 17 other providers, under every address", async () => {
    expect(OTHERS).toHaveLength(17);
    const answers = await Promise.all(
      [...OTHERS, "nonsense"].flatMap((provider) => [
        deploy({ provider }),
        deployer.call("POST", `/api/deployments/${project.slug}/deploy`, { provider }),
        deployer.call("POST", `/api/deployments/${project.slug}/containers/${foreign}/deploy`, { provider }),
        deployer.call("POST", "/api/deployment-credentials", { provider, access_token: "token-1" }),
      ]),
    );
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.detail}`))).toEqual(
      new Set([`400 ${FIVE}`]),
    );
    await expectNothing();
  });

  const REFUSED: [object, number, RegExp][] = [
    [{ provider: undefined }, 422, /^provider: /u],
    [{ provider: 1 }, 422, /^provider: /u],
    [{ project_id: undefined }, 422, /^project_id: /u],
    [{ project_id: "no-such-project" }, 404, /^Project not found$/u],
    [{ custom_domain: "example.com" }, 400, /^custom_domain is not served/u],
    [{ env_vars: { _WORKSPACE_X: "1" } }, 400, /_WORKSPACE_/u],
    [{ env_vars: { A: 1 } }, 422, /^env_vars\.A/u],
    [{ env_vars: ["A"] }, 422, /^env_vars/u],
    [{ env_vars: { "": "x" } }, 422, /^env_vars/u],
    [{ env_vars: { A: "a\0b" } }, 422, /NUL/u],
    [{ deployment_mode: "docker" }, 422, /^deployment_mode/u],
    [{ deployment_mode: "source" }, 400, /built files/u],
    [{ build_command: "npm run build" }, 400, /needs npm.*PROJECT_RUNTIME=host/u],
    [
      { provider: "vercel", deployment_mode: "pre-built", build_command: "CI=1 npx vite build" },
      400,
      /needs npx.*deployment_mode: source/u,
    ],
    [{ provider: "heroku" }, 400, /^Connect your Heroku account first$/u],
    [{ container_id: "web" }, 422, /^container_id: must be the id/u],
    [{ container_id: crypto.randomUUID() }, 404, /^Container not found$/u],
    [{ output_directory: "../x" }, 400, SENTENCE],
    [{ output_directory: "/etc" }, 400, SENTENCE],
    [{ build_command: "x".repeat(2001) }, 422, /^build_command: .*2000/u],
    [{ output_directory: "x".repeat(1001) }, 422, /^output_directory: .*1000/u],
    [{ framework: "x".repeat(101) }, 422, /^framework: .*100/u],
    [{ branch: "x".repeat(251) }, 422, /^branch: .*250/u],
    [{ custom_domain: "x".repeat(301) }, 422, /^custom_domain: /u],
  ];

  it("with the field that is wrong", async () => {
    for (const [fields, status, detail] of REFUSED) {
      const answer = await deploy(fields);
      expect([fields, answer.status, answer.body.detail]).toEqual([
        fields,
        status,
        expect.stringMatching(detail),
      ]);
    }
    await expectNothing();
  });

  it("with a container of another project", async () => {
    const answers = [
      await deploy({ container_id: foreign }),
      await deployer.call("POST", `/api/deployments/${project.id}/containers/${foreign}/deploy`, {
        provider: "netlify",
      }),
      await deployer.call("POST", `/api/deployments/${project.id}/containers/web/deploy`, {
        provider: "netlify",
      }),
    ];
    expect(answers.map(({ status, body }) => [status, body.detail])).toEqual(
      answers.map(() => [404, "Container not found"]),
    );
    await expectNothing();
  });

  it("with an Idempotency-Key that is none", async () => {
    const wish = { project_id: project.id, provider: "netlify" };
    const answer = await deployer.call("POST", "/api/deployments", wish, { "idempotency-key": "a b" });
    expect([answer.status, answer.body.detail]).toEqual([
      422,
      expect.stringMatching(/^Idempotency-Key: must/u),
    ]);
    await expectNothing();
  });

  it("with a credential that the provider refuses", async () => {
    const other = await newDeployer(service);
    await other.connect("netlify", undefined, "standin_bad_one");
    const { id } = await other.newProject({ "index.html": "x" });
    const answer = await other.call("POST", "/api/deployments", { project_id: id, provider: "netlify" });
    expect([answer.status, answer.body.detail]).toEqual([
      400,
      "Netlify refused the credential: connect your account again",
    ]);
  });
});

it("a deployment that cannot be built fails with the reason, keeps nothing, and can be deleted", async () => {
  const { id } = await deployer.newProject({ "index.html": "x" });
  const wish = { provider: "netlify", build_command: "echo broken here; exit 3" };
  const over = await deployer.ended(await deployer.deploy({ id }, wish));
  expect(over).toMatchObject({
    status: "failed",
    error: "The build failed: exit code 3:\nbroken here",
    deployment_url: null,
    is_kept: false,
  });
  const back = await deployer.call("POST", `/api/deployments/${over.id}/redeploy`);
  expect([back.status, back.body.detail]).toEqual([409, expect.stringContaining("not kept")]);
  expect((await deployer.call("DELETE", `/api/deployments/${over.id}`)).status).toBe(204);
  await deployer.gone(over);
});

/** Everything that is done with one deployment. */
const calls = (id: string): [string, string][] => [
  ["GET", `/api/deployments/${id}`],
  ["GET", `/api/deployments/${id}/status`],
  ["GET", `/api/deployments/${id}/logs`],
  ["GET", `/api/deployments/${id}/stream`],
  ["POST", `/api/deployments/${id}/cancel`],
  ["POST", `/api/deployments/${id}/redeploy`],
  ["DELETE", `/api/deployments/${id}`],
];

describe("deployments", () => {
  it.each(["x", "%00", "..%2f..", crypto.randomUUID(), "x".repeat(300)])(
    "are not found by %s",
    async (id) => {
      for (const [method, path] of calls(id)) {
        const { status, body } = await deployer.call(method, path);
        expect([method, path, status]).toEqual([method, path, 404]);
        expect(body.detail).toMatch(/found/u);
      }
    },
  );

  it("are seen but not changed by viewers, and not found by strangers", async () => {
    const { owner, join } = await newTeamClient(service);
    const person = await newDeployer(service, owner);
    await person.connect("netlify");
    const { id: projectId, ...own } = await person.newProject({ "index.html": "<h1>Team</h1>" });
    const live = await person.succeeded(
      await person.deploy({ id: projectId, ...own }, { provider: "netlify" }),
    );
    const [viewer, stranger] = [await newDeployer(service, await join("viewer")), await newDeployer(service)];
    for (const each of [viewer, stranger]) await each.connect("netlify");
    const projectCalls: [string, string, object?][] = [
      ["GET", `/api/deployments?project_id=${projectId}`],
      ["GET", `/api/deployments/${projectId}/deployments`],
      ["POST", "/api/deployments", { project_id: projectId, provider: "netlify" }],
      ["POST", `/api/deployments/${projectId}/deploy`, { provider: "netlify" }],
      ["POST", `/api/deployments/${projectId}/deploy-all`],
    ];
    const all = [...calls(live.id), ...projectCalls];
    for (const [method, path, json] of all) {
      const seen = await viewer.call(method, path, json);
      expect([method, path, seen.status]).toEqual([method, path, method === "GET" ? 200 : 403]);
      const hidden = await stranger.call(method, path, json);
      expect([method, path, hidden.status]).toEqual([method, path, 404]);
      expect(hidden.body.detail).toMatch(/ not found$/u);
    }
    for (const each of [viewer, stranger])
      expect((await each.call("GET", "/api/deployments")).body).toEqual([]);
    expect((await person.call("GET", `/api/deployments/${live.id}`)).body.status).toBe("success");
  });
});
