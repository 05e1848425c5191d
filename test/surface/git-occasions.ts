import type { ApiRequest } from "#test/support/api-client.ts";
import { browser } from "#test/support/browser.ts";
import type { GitHostServer } from "#test/support/git-host-server.ts";
import type { GitServer } from "#test/support/git-server.ts";
import type { SharedService } from "#test/support/shared-service.ts";
import type { Estate } from "./estate.ts";

/** What git and its hosts are to a service under test. */
export interface GitWorld {
  git: GitServer;
  gitHost: GitHostServer;
}

interface Scene extends GitWorld {
  service: SharedService;
  estate: Estate;
}

type Occasion = ApiRequest & { address?: string };

const newRepository = ({ git }: Scene) => git.create(crypto.randomUUID(), { "a.txt": "a\n" });

async function ask({ service, estate }: Scene, method: string, path: string, json: object) {
  const { status, text } = await service.call(method, path, { token: estate.owner.token, json });
  if (status !== 200) throw new Error(`${method} ${path} answered ${status}: ${text}`);
}

const projectOf = ({ estate }: Scene) => `/api/projects/${String(estate.samples["project"])}`;

const clones = new WeakMap<Estate, Promise<void>>();

/** The project is a clone, in which a file has changed: one for all operations that share the estate. */
function cloned(scene: Scene): Promise<void> {
  const made = clones.get(scene.estate) ?? clone(scene);
  clones.set(scene.estate, made);
  return made;
}

async function clone(scene: Scene): Promise<void> {
  await ask(scene, "POST", `${projectOf(scene)}/git/clone`, { repo_url: newRepository(scene) });
  await ask(scene, "PUT", `${projectOf(scene)}/files/a.txt`, { content: "changed\n" });
}

const inClone = (json?: object) => async (scene: Scene) => {
  await cloned(scene);
  return json ? { json } : {};
};

/** The owner's account at the git host is connected. */
async function connected(scene: Scene): Promise<Occasion> {
  await ask(scene, "PUT", "/api/git-providers/gitlab/token", { token: scene.gitHost.newToken() });
  return {};
}

const PROJECT = "/api/projects/{project}/git";
const HOST = "/api/git-providers/{git_host}";

export const GIT_OCCASIONS: Record<string, (scene: Scene) => Promise<Occasion> | Occasion> = {
  [`POST ${PROJECT}/clone`]: (scene) => ({ json: { repo_url: newRepository(scene) } }),
  "POST /api/git/clone": (scene) => ({
    json: { repo_url: newRepository(scene), project_id: scene.estate.samples["project"] },
  }),
  "POST /api/git/commit": async (scene) => {
    await cloned(scene);
    return { json: { message: "a", project_id: scene.estate.samples["project"] } };
  },
  [`GET ${PROJECT}/clone`]: inClone(),
  [`GET ${PROJECT}/status`]: inClone(),
  [`GET ${PROJECT}/commits`]: inClone(),
  [`GET ${PROJECT}/diff`]: inClone(),
  [`GET ${PROJECT}/branches`]: inClone(),
  [`GET ${PROJECT}/info`]: inClone(),
  [`GET ${PROJECT}/tree`]: inClone(),
  [`GET ${PROJECT}/repo-info`]: inClone(),
  [`POST ${PROJECT}/stage`]: inClone({}),
  [`POST ${PROJECT}/commit`]: inClone({ message: "a" }),
  [`POST ${PROJECT}/push`]: inClone({}),
  [`POST ${PROJECT}/pull`]: inClone({}),
  [`POST ${PROJECT}/branches`]: inClone({ name: "dev" }),
  [`PUT ${PROJECT}/branches/switch`]: inClone({ branch: "main" }),
  [`POST ${PROJECT}/switch`]: inClone({ branch: "main" }),
  [`DELETE ${PROJECT}/disconnect`]: inClone(),
  [`PUT ${HOST}/token`]: ({ gitHost }) => ({ json: { token: gitHost.newToken() } }),
  [`DELETE ${HOST}/disconnect`]: connected,
  [`GET ${HOST}/repositories`]: connected,
  [`GET ${HOST}/repositories/{owner}/{repository}`]: connected,
  [`GET ${HOST}/repositories/{owner}/{repository}/branches`]: connected,
  [`GET ${HOST}/oauth/callback`]: async ({ service, estate, gitHost }) => {
    const own = browser(service);
    const { token } = estate.owner;
    const begun = await own.call<{ authorization_url: string }>(
      "GET",
      "/api/git-providers/gitlab/oauth/authorize",
      { token },
    );
    const answer = await fetch(begun.body.authorization_url, { redirect: "manual" });
    const back = new URL(answer.headers.get("location") ?? gitHost.url);
    return {
      address: back.pathname + back.search,
      headers: { cookie: `session=${token}; git_oauth_state=${own.cookies.get("git_oauth_state")}` },
    };
  },
};
