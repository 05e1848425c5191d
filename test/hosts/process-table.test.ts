import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { descendants, killTree } from "#hosts/runtime-host/process-table.ts";
import { NO_BUBBLEWRAP, SKIPPED } from "./support/runtime-host.ts";

describe.skipIf(NO_BUBBLEWRAP)(`a tree of processes${SKIPPED}`, () => {
  it("is killed with all that it starts meanwhile", async () => {
    const name = randomUUID();
    const startMany = `for each in $(seq 400); do (exec -a ${name} sleep 1000) & done; wait`;
    const { pid = 0 } = spawn("bash", ["-c", startMany], { stdio: "ignore" });
    await expect.poll(() => descendants(pid).length).toBeGreaterThan(5);
    await killTree(pid);
    const left = () => spawnSync("pgrep", ["-f", "--count", name]).stdout.toString();
    await expect.poll(left).toBe("0\n");
  });
});
