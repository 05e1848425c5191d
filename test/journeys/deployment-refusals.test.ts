import { describe, expect, it } from "vitest";
import { newDeployer, type Answered } from "#test/support/deployer.ts";
import { sharedService } from "#test/support/shared-service.ts";

const service = sharedService();

const deployer = await newDeployer(service);
for (const provider of ["vercel", "netlify"] as const) await deployer.connect(provider);
const project = await deployer.newProject({ "index.html": "<h1>Hello</h1>" });

describe("a deployment is refused, with a sentence,", () => {
  it("to other providers, under every address", async () => {
    const answers = await Promise.all(
      ["koyeb", "firebase", "nonsense"].flatMap((provider) => [
        deployer.call("POST", "/api/deployments", { project_id: project.id, provider }),
        deployer.call("POST", `/api/deployments/${project.slug}/deploy`, { provider }),
        deployer.call("POST", "/api/deployment-credentials", { provider, access_token: "token-1" }),
      ]),
    );
    const five = "`vercel`, `netlify`, `cloudflare`, `heroku`, `digitalocean`";
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.detail}`))).toEqual(
      new Set([`400 provider: deployments go to one of ${five}`]),
    );
  });

  const REFUSED: [object, number, RegExp][] = [
    [{ provider: undefined }, 422, /^provider: /u],
    [{ custom_domain: "example.com" }, 400, /^custom_domain is not served/u],
    [{ env_vars: { _WORKSPACE_X: "1" } }, 400, /_WORKSPACE_/u],
    [{ env_vars: { "": "x" } }, 422, /^env_vars/u],
    [{ deployment_mode: "source" }, 400, /built files/u],
    [{ build_command: "npm run build" }, 400, /needs npm.*PROJECT_RUNTIME=host/u],
    [{ provider: "heroku" }, 400, /^Connect your Heroku account first$/u],
    [{ container_id: crypto.randomUUID() }, 404, /^Container not found$/u],
    [{ output_directory: "../x" }, 400, /^[^\n]{10,}$/u],
    [{ build_command: "x".repeat(2001) }, 422, /^build_command: .*2000/u],
  ];

  it("with the field that is wrong, and nothing is stored", async () => {
    for (const [fields, status, detail] of REFUSED) {
      const json = { project_id: project.id, provider: "netlify", ...fields };
      const answer = await deployer.call("POST", "/api/deployments", json);
      const told = [fields, answer.status, answer.body.detail];
      expect(told).toEqual([fields, status, expect.stringMatching(detail)]);
    }
    const { body } = await deployer.call<Answered[]>("GET", `/api/deployments?project_id=${project.id}`);
    expect(body).toEqual([]);
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
