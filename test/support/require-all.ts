import path from "node:path";
import type { Reporter, TestModule } from "vitest/node";
import { PERMITTED_SKIPS } from "./permitted-skips.ts";

/** With REQUIRE_ALL=1 a run fails where a test was skipped that `permitted-skips.ts` does not name. */
export class RequireAll implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (process.env["REQUIRE_ALL"] !== "1") return;
    const names = modules.flatMap(skippedIn);
    const missing = names.filter((name) => !PERMITTED_SKIPS.some(({ tests }) => tests.test(name)));
    const permitted = PERMITTED_SKIPS.flatMap(({ tests, reason }) => {
      const count = names.filter((name) => tests.test(name)).length;
      return count === 0 ? [] : [`${count} skipped, as it ${reason}`];
    });
    const lines = [
      ...permitted,
      ...missing.map((name) => `Skipped, which REQUIRE_ALL=1 does not permit: ${name}`),
    ];
    if (missing.length > 0) process.exitCode = 1;
    if (lines.length > 0) process.stdout.write(`\n${lines.join("\n")}\n`);
  }
}

function skippedIn(module: TestModule): string[] {
  const file = path.relative(".", module.moduleId);
  return [...module.children.allTests("skipped")].map(({ fullName }) => `${file} > ${fullName}`);
}
