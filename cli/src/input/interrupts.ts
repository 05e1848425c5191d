/** What Ctrl-C does now; the last one counts. */
const handlers: (() => void)[] = [];

/** Signals of one press come within this time. */
const ONE_PRESS_MS = 300;

/**
 * Returns whether a SIGINT is a new press of Ctrl-C. Under npm each press is two signals: the terminal sends one to npm and to
 * this process, and npm passes its own on.
 */
export function pressesOf(
  environment: Readonly<Record<string, string | undefined>>,
  now: () => number = Date.now,
): () => boolean {
  if (environment["npm_command"] === undefined) return () => true;
  let last = -Infinity;
  return () => {
    const isNew = now() - last >= ONE_PRESS_MS;
    if (isNew) last = now();
    return isNew;
  };
}

/** Has Ctrl-C call the newest handler, or `end` when there is none. */
export function installInterrupts(end: () => void): void {
  const isPress = pressesOf(process.env);
  process.on("SIGINT", () => {
    if (isPress()) interrupt(end);
  });
}

function interrupt(end: () => void): void {
  const handler = handlers.at(-1) ?? end;
  handler();
}

/** Has Ctrl-C call `handler` until the returned function is called. */
export function onInterrupt(handler: () => void): () => void {
  handlers.push(handler);
  return () => {
    const at = handlers.lastIndexOf(handler);
    if (at !== -1) handlers.splice(at, 1);
  };
}
