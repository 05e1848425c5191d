import { AppError } from "#src/lib/errors.ts";
import type { ContainerRuntime } from "./container-runtime.ts";

/** Port of a container that nothing says another one for. */
const DEFAULT_PORT = 3000;

/** What a name says about the port a program listens on; the first that fits. */
const PORT_OF_NAME: readonly (readonly [RegExp, number])[] = [
  [/next/iu, 3000],
  [/fastapi|python|django|flask/iu, 8000],
  [/(^|[^a-z])go($|[^a-z])|golang/iu, 8080],
];
const PORT_OF_OTHERS = 5173;

/** Ports that a runtime uses itself; see `ProjectProcesses`. */
export type RuntimePorts = Pick<ContainerRuntime, "reservedPorts">;

/** The port that a base, or a container of this name, is likely to listen on; the next that the runtime leaves free. */
export function guessPort(name: string, runtime: RuntimePorts): number {
  const usual = PORT_OF_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? PORT_OF_OTHERS;
  return usablePort(usual, runtime);
}

/** A port that nobody has chosen: this one, the default for null, or the next that the runtime leaves free. */
export function usablePort(usual: number | null, { reservedPorts }: RuntimePorts): number {
  return freePort(usual, new Set(reservedPorts));
}

/**
 * Throws `invalid_input` for a port that a person has chosen and the runtime uses itself: a program cannot listen there,
 * and a preview of it would lead to the runtime's own servers.
 */
export function requireUsablePort(port: number | null | undefined, { reservedPorts }: RuntimePorts): void {
  if (typeof port === "number" && reservedPorts.includes(port)) {
    throw new AppError(
      "invalid_input",
      `Port ${port} is used by the environment that runs this project: choose another port`,
    );
  }
}

/** The port its program was given at the last start; before that, the one that is asked for. */
export function effectivePort(container: { internalPort: number | null; port: number | null }): number {
  return container.internalPort ?? container.port ?? DEFAULT_PORT;
}

/** The first port from the one that is asked for on that is not taken: by another container of the project or the runtime. */
export function freePort(wanted: number | null, taken: ReadonlySet<number>): number {
  let port = wanted ?? DEFAULT_PORT;
  while (taken.has(port)) port = port === 65_535 ? 1024 : port + 1;
  return port;
}
