import { z } from "zod";
import { readJson } from "../bodies.ts";
import { newId } from "../ids.ts";
import { type HostingParts, siteHost } from "../parts.ts";
import type { Site } from "../records.ts";
import type { Exchange, WireCall } from "../wire.ts";
import { scopeOf } from "./account.ts";
import { refuse } from "./errors.ts";

/** https://vercel.com/docs/rest-api/projects/create-a-new-project: the name, and the settings of a build. */
export const BUILD_SETTINGS = {
  buildCommand: z.string().max(256).nullish(),
  commandForIgnoringBuildStep: z.string().max(256).nullish(),
  devCommand: z.string().max(256).nullish(),
  framework: z.string().nullish(),
  installCommand: z.string().max(256).nullish(),
  nodeVersion: z.string().nullish(),
  outputDirectory: z.string().max(256).nullish(),
  rootDirectory: z.string().max(256).nullish(),
  serverlessFunctionRegion: z.string().nullish(),
};

/** Up to 100 lower-case letters, digits, `.`, `_` and `-`, but not `---`. */
export const ProjectName = z
  .string()
  .max(100)
  .regex(
    /^(?!.*---)[a-z0-9-_.]+$/u,
    "Project names can be up to 100 characters long and must be lowercase. They can include letters, digits, and the following characters: '.', '_', '-'. However, they cannot contain the sequence '---'",
  );

const NewProject = z.strictObject({
  name: ProjectName,
  ...BUILD_SETTINGS,
  environmentVariables: z.array(z.looseObject({})).optional(),
  gitRepository: z.looseObject({}).optional(),
  publicSource: z.boolean().nullish(),
  ssoProtection: z.looseObject({}).nullish(),
  resourceConfig: z.looseObject({}).optional(),
});

/** Finds a project by its id or its name. */
export function findProject(exchange: Exchange, idOrName: string): Site | undefined {
  const { store } = exchange.parts;
  const scope = scopeOf(exchange);
  const byId = store.site("vercel", idOrName);
  return byId?.account === scope ? byId : store.siteNamed("vercel", idOrName, scope);
}

function getProject(exchange: Exchange): Site {
  const project = findProject(exchange, exchange.at("id"));
  if (!project) throw refuse(404, "not_found", "Project not found");
  return project;
}

export { getProject };

/** Makes a project. The name is its scope's: another one may have the same. */
export function addProject(
  { parts: { store }, now }: Exchange,
  name: string,
  scope: string,
  settings: object,
): Site {
  return store.addSite(
    { id: newId("prj_"), provider: "vercel", account: scope, name, details: { settings } },
    now,
  );
}

function show(parts: HostingParts, project: Site): object {
  const { id, name, account, createdAt, updatedAt, live, details } = project;
  const domain = siteHost(parts, project.host);
  const settings = z.looseObject({}).safeParse(details["settings"]).data ?? {};
  return {
    accountId: account,
    id,
    name,
    createdAt,
    updatedAt,
    autoExposeSystemEnvs: true,
    buildCommand: null,
    devCommand: null,
    directoryListing: false,
    framework: null,
    installCommand: null,
    nodeVersion: "24.x",
    outputDirectory: null,
    rootDirectory: null,
    ...settings,
    live: false,
    alias: [{ domain, environment: "production", target: "PRODUCTION", createdAt }],
    latestDeployments: [],
    targets: live === undefined ? {} : { production: { id: live, alias: [domain], readyState: "READY" } },
  };
}

export const vercelProjects: readonly WireCall[] = [
  {
    method: "GET",
    path: "v9/projects",
    run(exchange) {
      const { parts, url } = exchange;
      const search = url.searchParams.get("search") ?? "";
      const limit = Number(url.searchParams.get("limit") ?? 20);
      const all = parts.store.sites("vercel", scopeOf(exchange)).filter(({ name }) => name.includes(search));
      const projects = all.slice(0, limit).map((project) => show(parts, project));
      return {
        status: 200,
        json: { projects, pagination: { count: projects.length, next: null, prev: null } },
      };
    },
  },
  {
    method: "POST",
    path: "v11/projects",
    async run(exchange) {
      const { name, ...settings } = await readJson(exchange, NewProject);
      const { store } = exchange.parts;
      const scope = scopeOf(exchange);
      const project = store.transaction(() => {
        if (store.siteNamed("vercel", name, scope)) {
          throw refuse(409, "conflict", `Project "${name}" already exists, please use a new name.`);
        }
        return addProject(exchange, name, scope, settings);
      });
      return { status: 200, json: show(exchange.parts, project) };
    },
  },
  {
    method: "GET",
    path: "v9/projects/{id}",
    run: (exchange) => ({ status: 200, json: show(exchange.parts, getProject(exchange)) }),
  },
  {
    method: "DELETE",
    path: "v9/projects/{id}",
    run(exchange) {
      exchange.parts.store.removeSite(getProject(exchange));
      return { status: 204 };
    },
  },
];
