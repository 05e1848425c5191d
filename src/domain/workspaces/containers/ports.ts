import { AppError } from "#src/lib/errors.ts";
import type { ContainerRuntime } from "./container-runtime.ts";

/** Port of a container for which neither name nor configuration suggests one. */
const DEFAULT_PORT = 3000;

/** The port that a name suggests; the first match counts. */
const PORT_OF_NAME: readonly (readonly [RegExp, number])[] = [
  [/next/iu, 3000],
  [/fastapi|python|django|flask/iu, 8000],
  [/(^|[^a-z])go($|[^a-z])|golang/iu, 8080],
];
const PORT_OF_OTHERS = 5173;

/** Ports that a runtime uses itself; see `ProjectProcesses`. */
export type RuntimePorts = Pick<ContainerRuntime, "reservedPorts">;

/** The port that a base or a container of this name probably listens on, or the next that the runtime leaves free. */
export function guessPort(name: string, runtime: RuntimePorts): number {
  const usual = PORT_OF_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? PORT_OF_OTHERS;
  return usablePort(usual, runtime);
}

/** A default port: `usual`, or the general default for null, moved to the next that the runtime leaves free. */
export function usablePort(usual: number | null, { reservedPorts }: RuntimePorts): number {
  return freePort(usual, new Set(reservedPorts));
}

/**
 * Throws `invalid_input` if a person has chosen a port that the runtime uses itself: a program could not listen there,
 * and a preview of that port would lead to the runtime's own servers.
 */
export function requireUsablePort(port: number | null | undefined, { reservedPorts }: RuntimePorts): void {
  if (typeof port === "number" && reservedPorts.includes(port)) {
    throw new AppError(
      "invalid_input",
      `Port ${port} is used by the environment that runs this project: choose another port`,
    );
  }
}

/** The port that the program received at the last start; before the first start, the requested port. */
export function effectivePort(container: { internalPort: number | null; port: number | null }): number {
  return container.internalPort ?? container.port ?? DEFAULT_PORT;
}

/** The first port from the wanted one upwards that neither another container of the project nor the runtime uses. */
export function freePort(wanted: number | null, taken: ReadonlySet<number>): number {
  let port = wanted ?? DEFAULT_PORT;
  while (taken.has(port)) port = port === 65_535 ? 1024 : port + 1;
  return port;
}
