/**
 * A setup file of all tests: makes vitest's report of an unhandled rejection say where it comes from. By itself vitest names the
 * running test only where the reason is an object, and `undefined` has no stack.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { inspect } from "node:util";

/** Holds the stack of the rejection that is being reported. */
const madeAt = new AsyncLocalStorage<{ stack: string }>();

// Node reads this property of the deprecated module `domain` at the moment of a rejection that has no handler yet. Next it
// keeps the context, to call the listeners in it. workerd does not read it: a report there names the test only.
Object.defineProperty(process, "domain", { configurable: true, get: keepStack });

// In the place of vitest's listener: beside another one it reports nothing.
for (const report of process.listeners("unhandledRejection")) {
  process.off("unhandledRejection", report);
  process.on("unhandledRejection", (reason, promise) =>
    report(reason instanceof Error ? reason : errorOf(reason), promise),
  );
}

/** Nearly every rejection has its handler a moment later: so the stack is kept, and is a text only once it is read. */
function keepStack(): void {
  const here = { stack: "" };
  Error.captureStackTrace(here, keepStack);
  madeAt.enterWith(here);
}

function errorOf(reason: unknown): Error {
  const error = new Error(`A promise was rejected with a reason that is no error: ${inspect(reason)}`);
  const [, ...lines] = madeAt.getStore()?.stack.split("\n") ?? [];
  const own = lines.filter((line) => !line.includes("(node:internal/"));
  error.stack = [`${error.name}: ${error.message}`, ...own].join("\n");
  return error;
}
