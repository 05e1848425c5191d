/** What Ctrl-C does now; the last one counts. */
const handlers: (() => void)[] = [];

/** Has Ctrl-C call the newest handler, or `end` when there is none. */
export function installInterrupts(end: () => void): void {
  process.on("SIGINT", () => interrupt(end));
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
