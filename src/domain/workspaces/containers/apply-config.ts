import { AppError } from "#src/lib/errors.ts";
import { normalizeDirectory } from "#src/lib/project-path.ts";
import type { ProjectFiles } from "#src/platform/runtime/project-files.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { addPreview, type PreviewDeps } from "./browser-previews.ts";
import { flawOf, requireUsablePorts, settleDocument, type ConfigDocument } from "./config-document.ts";
import { findConfigFile, referenceTo, variablesForFile, writeConfigFile } from "./config-file.ts";
import { addConnection } from "./connections.ts";
import { addContainer, type ContainerInput, type CreateDeps } from "./create-container.ts";
import type { Variables } from "./environment.ts";
import { requireEndpoint } from "./external-endpoint.ts";
import type { RuntimePorts } from "./ports.ts";
import { connectionsOf, containersOf, previewsOf, updateContainerRow, type Container } from "./queries.ts";
import { changeVariables } from "./update-container.ts";

interface ApplyDeps extends CreateDeps {
  config: CreateDeps["config"] & PreviewDeps["config"];
  secrets: Secrets;
}

/**
 * Applies a configuration document to a project: containers are found by name and changed, or added; containers that
 * the document does not name stay. The document is written into the project's files, with references in place of the
 * values of variables that it did not contain before. Idempotent. Throws `invalid_input` for an invalid document.
 */
export async function applyConfig(
  deps: ApplyDeps,
  project: { id: string; slug: string },
  runtime: Pick<ProjectFiles, "readFile" | "writeFile"> & RuntimePorts,
  given: ConfigDocument,
): Promise<{ containerIds: string[]; primaryContainerId: string | null }> {
  requireUsablePorts(given, runtime);
  const document = settleDocument(given, runtime);
  const inputs = wishesOf(deps, document);
  const before = await findConfigFile(runtime);
  const known = new Map((await containersOf(deps.db, project.id)).map((each) => [each.name, each]));
  const made = new Map<string, Container>();
  for (const input of inputs) {
    const found = known.get(input.name);
    const container = found ? await change(deps, found, input) : await addContainer(deps, project, input);
    made.set(input.name, container);
  }
  await connect(deps, project.id, document, made);
  await show(deps, project.id, document, made);
  await writeConfigFile(runtime, forFile(document, before));
  return {
    containerIds: [...made.values()].map(({ id }) => id),
    primaryContainerId: made.get(document.primaryApp)?.id ?? null,
  };
}

/** Finds every error before anything is changed. */
function wishesOf(deps: ApplyDeps, document: ConfigDocument): ContainerInput[] {
  const flaw = flawOf(document);
  if (flaw !== undefined) throw new AppError("invalid_input", flaw);
  const providers = new Map(
    Object.values(document.deployments).flatMap(({ provider, targets }) =>
      targets.map((target) => [target, provider] as const),
    ),
  );
  const apps = Object.entries(document.apps).map(([name, app]) => ({
    name,
    directory: normalizeDirectory(app.directory),
    port: app.port,
    startupCommand: app.start.trim() || null,
    buildCommand: app.build?.trim() || null,
    outputDirectory: app.output?.trim() || null,
    framework: app.framework ?? null,
    ...place(app),
    ...(providers.has(name) && { deploymentProvider: providers.get(name) ?? null }),
    env: valuesIn(app.env),
  }));
  const services = Object.entries(document.infrastructure).map(([name, service]) => {
    const endpoint = service.endpoint ?? null;
    if (endpoint !== null) requireEndpoint(deps, endpoint);
    return {
      name,
      containerType: "service" as const,
      deploymentMode: endpoint === null ? ("container" as const) : ("external" as const),
      externalEndpoint: endpoint,
      image: service.image ?? null,
      port: service.port ?? null,
      serviceType: service.type ?? null,
      serviceSlug: service.provider ?? null,
      ...place(service),
      env: valuesIn(service.env),
    };
  });
  return [...apps, ...services];
}

function place({ x, y }: { x?: number | null | undefined; y?: number | null | undefined }) {
  return { ...(typeof x === "number" && { positionX: x }), ...(typeof y === "number" && { positionY: y }) };
}

/** The literal values in a document; a reference stands for the stored value. */
function valuesIn(variables: Variables): Variables {
  return Object.fromEntries(Object.entries(variables).filter(([name, value]) => value !== referenceTo(name)));
}

async function change(deps: ApplyDeps, container: Container, input: ContainerInput): Promise<Container> {
  const { name: _, env = {}, credentials: __, ...rest } = input;
  if (Object.keys(env).length > 0) await changeVariables(deps, container, env);
  const becameOther = input.deploymentMode !== undefined && input.deploymentMode !== container.deploymentMode;
  const [changed] = await updateContainerRow(deps.db, container.id, {
    ...rest,
    ...(becameOther && { status: input.deploymentMode === "external" ? "connected" : "stopped" }),
  });
  if (!changed) throw new AppError("conflict", "A container was deleted in the meantime: try again");
  return changed;
}

async function connect(
  deps: ApplyDeps,
  projectId: string,
  { connections }: ConfigDocument,
  made: ReadonlyMap<string, Container>,
): Promise<void> {
  const there = await connectionsOf(deps.db, projectId);
  for (const { from, to } of connections) {
    const [sourceId, targetId] = [made.get(from)?.id ?? "", made.get(to)?.id ?? ""];
    const isThere = there.some(
      (each) => each.sourceContainerId === sourceId && each.targetContainerId === targetId,
    );
    if (!isThere) await addConnection(deps, projectId, { sourceId, targetId, label: null, config: {} });
  }
}

async function show(
  deps: ApplyDeps,
  projectId: string,
  { previews }: ConfigDocument,
  made: ReadonlyMap<string, Container>,
): Promise<void> {
  const shown = new Set((await previewsOf(deps.db, projectId)).map((each) => each.connectedContainerId));
  for (const { target } of Object.values(previews)) {
    const id = made.get(target)?.id ?? null;
    if (!shown.has(id)) await addPreview(deps, projectId, { connectedContainerId: id });
    shown.add(id);
  }
}

function forFile(document: ConfigDocument, before: ConfigDocument | undefined): ConfigDocument {
  return {
    ...document,
    apps: withoutValues(document.apps, before?.apps),
    infrastructure: withoutValues(document.infrastructure, before?.infrastructure),
  };
}

function withoutValues<T extends { env: Variables }>(
  entries: Record<string, T>,
  before: Record<string, T> = {},
): Record<string, T> {
  return Object.fromEntries(
    Object.entries(entries).map(([name, entry]) => {
      const env = variablesForFile(Object.keys(entry.env), valuesIn(entry.env), before[name]?.env);
      return [name, { ...entry, env }];
    }),
  );
}
