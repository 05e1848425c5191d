import { watch } from "node:fs";
import { runService } from "./main.ts";
import { StartError } from "./start-error.ts";

/** Delay before a rebuild: editors write a file in several steps, and one change often touches several files. */
const SETTLE_MS = 150;

/** `npm run dev`: like `npm start`, and the Worker and the console are rebuilt and replaced when their code changes. */
const stack = await runService();
let timer: NodeJS.Timeout | undefined;
let reloading = Promise.resolve();

for (const folder of ["src", "functions", "durable-objects", "console/src", "sdk/src"]) {
  watch(folder, { recursive: true }, () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      reloading = reloading.then(reload);
    }, SETTLE_MS);
  });
}

async function reload(): Promise<void> {
  try {
    await stack.reload();
    process.stderr.write("Reloaded.\n");
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    process.stderr.write(`${error.message}\n`);
  }
}
