import type { Db } from "#src/platform/db/client.ts";
import type { ProcessState } from "#src/platform/runtime/project-processes.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import type { ContainerRuntime } from "./container-runtime.ts";
import { findExports } from "./config-file.ts";
import { openVariables, type Variables } from "./environment.ts";
import { injectedVariables } from "./injected-variables.ts";
import { effectivePort, freePort } from "./ports.ts";
import {
  connectionsOf,
  containersOf,
  markOutcome,
  markStarting,
  type Connection,
  type Container,
} from "./queries.ts";
import { runProgram, type Outcome, type Pace } from "./run-program.ts";
import { startOrder } from "./start-order.ts";

export interface StartDeps {
  db: Db;
  secrets: Pick<Secrets, "decrypt">;
  /** The clock and the wait, for tests. */
  pace?: Pace;
}

export interface StartOptions {
  /** Ids of the containers to start; all wanted containers when absent. */
  only?: readonly string[];
  /** Receives the current step in a few words. */
  onProgress?: (text: string) => void | Promise<void>;
  /** Stops the wait, and starts nothing more. */
  signal?: AbortSignal;
}

/** The outcome of a container's start. */
export interface ContainerOutcome extends Outcome {
  id: string;
  name: string;
}

/** State shared while a project's containers are started. */
interface Start {
  deps: StartDeps;
  runtime: ContainerRuntime;
  options: StartOptions;
  /** As stored; a started container's port is recorded here before other containers read it. */
  containers: Map<string, Container>;
  connections: Connection[];
  exports: ReadonlyMap<string, Variables>;
  /** Ids of containers whose program is already running. */
  alive: ReadonlySet<string>;
}

/**
 * Starts containers of a project, each after those it uses, and waits until they respond. Idempotent: a running program
 * stays. A container that does not start is `failed` with the reason, and the others are started nevertheless. Throws
 * the runtime's error if the runtime does not respond, and the signal's reason once it is aborted.
 */
export async function startContainers(
  deps: StartDeps,
  project: { id: string },
  runtime: ContainerRuntime,
  options: StartOptions = {},
): Promise<ContainerOutcome[]> {
  const [containers, connections] = await Promise.all([
    containersOf(deps.db, project.id),
    connectionsOf(deps.db, project.id),
  ]);
  const { only } = options;
  const chosen = containers.filter(({ id, wanted }) => (only ? only.includes(id) : wanted));
  if (chosen.length === 0) return [];
  const processes = runtime.runsProcesses ? await runtime.processes() : [];
  const start: Start = {
    deps,
    runtime,
    options,
    containers: new Map(containers.map((container) => [container.id, container])),
    connections,
    exports: await findExports(runtime),
    alive: aliveOnes(containers, processes),
  };
  givePorts(start, chosen);
  const begun = new Map<string, Promise<ContainerOutcome>>();
  for (const { container, after } of startOrder(chosen, connections)) {
    const others = after.flatMap(({ id }) => begun.get(id) ?? []);
    const outcome = Promise.all(others).then(() => startOne(start, container.id));
    begun.set(container.id, outcome);
  }
  const settled = await Promise.allSettled(begun.values());
  return settled.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
}

/**
 * Ids of the containers whose program runs and is recorded as running. A program that outlived its stop is replaced.
 */
function aliveOnes(
  containers: readonly Container[],
  processes: readonly ProcessState[],
): ReadonlySet<string> {
  const running = new Set(processes.filter((process) => process.running).map(({ name }) => name));
  return new Set(
    containers
      .filter(({ id, status }) => running.has(id) && (status === "running" || status === "starting"))
      .map(({ id }) => id),
  );
}

/**
 * Gives each program its own port: running programs keep theirs, the others receive the port they ask for or the next
 * free one. A stored port may be one that the runtime reserves, if the project had another runtime before.
 */
function givePorts({ containers, alive, runtime }: Start, chosen: readonly Container[]): void {
  const running = [...containers.values()].filter(({ id }) => alive.has(id)).map(effectivePort);
  const taken = new Set([...running, ...runtime.reservedPorts]);
  for (const container of chosen) {
    if (alive.has(container.id) || isStatic(container, runtime)) continue;
    const internalPort = freePort(container.port, taken);
    taken.add(internalPort);
    containers.set(container.id, { ...container, internalPort });
  }
}

/** Whether a container serves static files instead of running a program. */
export function isStatic(
  { startupCommand, deploymentMode }: Pick<Container, "startupCommand" | "deploymentMode">,
  { runsProcesses }: Pick<ContainerRuntime, "runsProcesses">,
): boolean {
  return deploymentMode === "container" && (!startupCommand || !runsProcesses);
}

async function startOne(start: Start, id: string): Promise<ContainerOutcome> {
  const { deps, options } = start;
  options.signal?.throwIfAborted();
  const container = start.containers.get(id);
  if (!container) return gone(id);
  const { name, deploymentMode } = container;
  if (deploymentMode === "external") return { id, name, status: "connected", error: null };
  await options.onProgress?.(`Starting ${name}`);
  const mine = start.alive.has(id) ? container : await begin(deps, container);
  if (!mine) return gone(id, name);
  const outcome = await run(start, container);
  await markOutcome(deps.db, { id, startedAt: mine.startedAt }, outcome);
  return { id, name, ...outcome };
}

async function begin({ db }: StartDeps, container: Container) {
  const [begun] = await markStarting(db, container.id, effectivePort(container));
  return begun;
}

/** The outcome of a container that was deleted while it was being started. */
function gone(id: string, name = id): ContainerOutcome {
  return { id, name, status: "failed", error: "The container was deleted" };
}

async function run(start: Start, container: Container): Promise<Outcome> {
  const { deps, runtime, options, alive } = start;
  if (isStatic(container, runtime)) return staticOutcome(container);
  return runProgram(runtime, container, {
    ...(await variablesOf(start, container)),
    isAlive: alive.has(container.id),
    ...(deps.pace && { pace: deps.pace }),
    ...(options.signal && { signal: options.signal }),
  });
}

/** Warning about a container that has a command, in a runtime without programs. */
const NOT_RUN =
  "No programs run in projects here: the container serves its files, and its command is not run";

function staticOutcome({ containerType, startupCommand, image, serviceSlug }: Container): Outcome {
  if (containerType === "service" && !startupCommand) {
    const what = image ?? serviceSlug ?? "the service";
    const error = `${what} cannot be run here: set a startup command, or connect an external service`;
    return { status: "failed", error };
  }
  return { status: "running", error: startupCommand ? NOT_RUN : null };
}

/** A container's own variables take precedence over those of the containers it uses; PORT is the port it was given. */
async function variablesOf(
  start: Start,
  container: Container,
): Promise<{ variables: Variables; secret: Variables }> {
  const { deps, connections, containers, exports } = start;
  const injected: Variables = {};
  const secret: Variables = {};
  for (const connection of connections) {
    const target = containers.get(connection.targetContainerId);
    if (!target || connection.sourceContainerId !== container.id) continue;
    const credentials = await openVariables(deps.secrets, target.encryptedCredentials);
    Object.assign(
      injected,
      injectedVariables(connection, target, { credentials, exports: exports.get(target.name) }),
    );
    Object.assign(secret, credentials);
  }
  const own = await openVariables(deps.secrets, container.encryptedEnv);
  Object.assign(secret, own);
  return { variables: { ...injected, ...own, PORT: String(effectivePort(container)) }, secret };
}
