import type { Db } from "#src/platform/db/client.ts";
import type { ProjectFiles } from "#src/platform/runtime/project-files.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { EMPTY_DOCUMENT, type ConfigDocument, type SettledDocument } from "./config-document.ts";
import { findConfigFile, variablesForFile, writeConfigFile } from "./config-file.ts";
import { openVariables, type Variables } from "./environment.ts";
import { usablePort, type RuntimePorts } from "./ports.ts";
import { connectionsOf, containersOf, previewsOf, type Container } from "./queries.ts";

/**
 * Writes a project's containers into its configuration document. Values of variables are left out, as in `applyConfig`;
 * exports, and deployments without a target, stay as the document has them.
 */
export async function syncConfig(
  deps: { db: Db; secrets: Pick<Secrets, "decrypt"> },
  project: { id: string },
  runtime: Pick<ProjectFiles, "readFile" | "writeFile"> & RuntimePorts,
): Promise<SettledDocument> {
  const [containers, connections, previews, before = EMPTY_DOCUMENT] = await Promise.all([
    containersOf(deps.db, project.id),
    connectionsOf(deps.db, project.id),
    previewsOf(deps.db, project.id),
    findConfigFile(runtime),
  ]);
  const nameOf = new Map(containers.map(({ id, name }) => [id, name]));
  const variables = new Map<string, Variables>();
  for (const { id, encryptedEnv } of containers) {
    variables.set(id, await openVariables(deps.secrets, encryptedEnv));
  }
  const env = ({ id, envKeys }: Container, old: { env: Variables } | undefined) =>
    variablesForFile(envKeys, variables.get(id) ?? {}, old?.env);

  const apps = containers
    .filter(isApp)
    .map((app) => [app.name, appOf(app, { before, env, runtime })] as const);
  const services = containers
    .filter((each) => !isApp(each))
    .map((service) => [service.name, serviceOf(service, before, env)] as const);
  const document: SettledDocument = {
    apps: Object.fromEntries(apps),
    infrastructure: Object.fromEntries(services),
    connections: connections.flatMap(({ sourceContainerId, targetContainerId }) => {
      const [from, to] = [nameOf.get(sourceContainerId), nameOf.get(targetContainerId)];
      return from === undefined || to === undefined ? [] : [{ from, to }];
    }),
    deployments: deploymentsOf(containers, before),
    previews: previewsFor(
      previews.flatMap(({ connectedContainerId }) => nameOf.get(connectedContainerId ?? "") ?? []),
      before,
    ),
    primaryApp: apps.some(([name]) => name === before.primaryApp) ? before.primaryApp : (apps[0]?.[0] ?? ""),
  };
  await writeConfigFile(runtime, document);
  return document;
}

function isApp({ containerType, deploymentMode }: Container): boolean {
  return containerType === "base" && deploymentMode === "container";
}

type EnvOf = (container: Container, old: { env: Variables } | undefined) => Variables;

function appOf(
  app: Container,
  { before, env, runtime }: { before: ConfigDocument; env: EnvOf; runtime: RuntimePorts },
): SettledDocument["apps"][string] {
  const old = before.apps[app.name];
  return {
    directory: app.directory || ".",
    port: app.port ?? usablePort(null, runtime),
    start: app.startupCommand ?? "",
    build: app.buildCommand,
    output: app.outputDirectory,
    framework: app.framework,
    env: env(app, old),
    exports: old?.exports ?? {},
    x: app.positionX,
    y: app.positionY,
  };
}

function serviceOf(
  service: Container,
  before: ConfigDocument,
  env: EnvOf,
): ConfigDocument["infrastructure"][string] {
  const old = before.infrastructure[service.name];
  return {
    image: service.image,
    port: service.port,
    env: env(service, old),
    exports: old?.exports ?? {},
    type: service.serviceType,
    provider: service.serviceSlug,
    endpoint: service.externalEndpoint,
    x: service.positionX,
    y: service.positionY,
  };
}

/** One entry per provider, under the name that the document already uses. */
function deploymentsOf(containers: readonly Container[], before: ConfigDocument) {
  const kept = Object.entries(before.deployments).map(
    ([name, entry]) => [name, { ...entry, targets: [] as string[] }] as const,
  );
  const deployments = Object.fromEntries(kept);
  for (const { name, deploymentProvider: provider } of containers) {
    if (provider === null) continue;
    const found = Object.values(deployments).find((entry) => entry.provider === provider);
    const entry = found ?? (deployments[provider] = { provider, targets: [], env: {} });
    entry.targets.push(name);
  }
  return deployments;
}

/** One entry per container that a preview shows, under the name that the document already uses. */
function previewsFor(shown: readonly string[], before: ConfigDocument): ConfigDocument["previews"] {
  return Object.fromEntries(
    [...new Set(shown)].map((target) => {
      const old = Object.entries(before.previews).find(([, entry]) => entry.target === target);
      return [old?.[0] ?? target, { target }];
    }),
  );
}
