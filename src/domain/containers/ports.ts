/** Port of a container that nothing says another one for. */
const DEFAULT_PORT = 3000;

/** What a name says about the port a program listens on; the first that fits. */
const PORT_OF_NAME: readonly (readonly [RegExp, number])[] = [
  [/next/iu, 3000],
  [/fastapi|python|django|flask/iu, 8000],
  [/(^|[^a-z])go($|[^a-z])|golang/iu, 8080],
];
const PORT_OF_OTHERS = 5173;

/** The port that a base, or a container of this name, is likely to listen on. */
export function guessPort(name: string): number {
  return PORT_OF_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? PORT_OF_OTHERS;
}

/** The port its program was given at the last start; before that, the one that is asked for. */
export function effectivePort(container: { internalPort: number | null; port: number | null }): number {
  return container.internalPort ?? container.port ?? DEFAULT_PORT;
}

/** The first port from the one that is asked for on that no other container of the project has. */
export function freePort(wanted: number | null, taken: ReadonlySet<number>): number {
  let port = wanted ?? DEFAULT_PORT;
  while (taken.has(port)) port = port === 65_535 ? 1024 : port + 1;
  return port;
}
