import * as fc from "fast-check";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { HANGS_MS } from "#test/support/hangs.ts";
import { startService, type TestService } from "#test/support/service.ts";
import { anyCommand } from "./support/any-command.ts";
import { openHostileProjects, type CommandProject } from "./support/hostile-project.ts";
import { healthDuring } from "./support/watched-health.ts";

/** How long commands are made up for; ten minutes in `npm run soak`. */
const SECONDS = Number(process.env["COMMAND_FUZZ_SECONDS"] ?? "5");
const IS_LONG = SECONDS >= 60;
const AT_ONCE = 4;
/** A command has one second, and as long again for a wait, on a machine that does much else. */
const ENDED_MS = IS_LONG ? 15_000 : 120_000;

let service: TestService;
let projects: CommandProject[];
beforeAll(async () => {
  service = await startService({ PROJECT_RUNTIME: "embedded", COMMAND_RATE_PER_MINUTE: "0" });
  projects = await openHostileProjects(service, AT_ONCE);
});
afterAll(() => service?.close());

it(
  "commands of a grammar end, and the service answers meanwhile",
  { timeout: SECONDS * 1_000 + HANGS_MS },
  async () => {
    const until = Date.now() + SECONDS * 1_000;
    const commands = fc.sample(anyCommand, { numRuns: SECONDS * AT_ONCE * 10, seed: inject("fuzzSeed") });
    let ran = 0;
    const health = await healthDuring(service.url, async () => {
      await Promise.all(
        projects.map(async (project) => {
          while (Date.now() < until) {
            const command = commands[ran % commands.length] ?? "true";
            ran += 1;
            const { status, ms } = await project.run(command, 1);
            expect({ command, status: [200, 503].includes(status), late: ms > ENDED_MS && ms }).toEqual({
              command,
              status: true,
              late: false,
            });
          }
        }),
      );
    });
    process.stderr.write(`${ran} commands of a grammar: /health ${JSON.stringify(health)}\n`);
    expect(ran).toBeGreaterThan(0);
    expect(IS_LONG ? health.p99 : health.max).toBeLessThan(IS_LONG ? 1_000 : 60_000);
  },
);
