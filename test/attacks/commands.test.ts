import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { HANGS_MS } from "#test/support/hangs.ts";
import { startService, type TestService } from "#test/support/service.ts";
import { drawn } from "#test/support/draw.ts";
import { anyCommand } from "./support/any-command.ts";
import { HOSTILE_COMMANDS } from "./support/hostile-commands.ts";
import {
  openCommandProject,
  openHostileProject,
  type CommandProject,
  type Ran,
} from "./support/hostile-project.ts";
import { healthDuring, timesDuring, type Times } from "./support/watched-health.ts";

/**
 * `COMMAND_ATTACKS=long`: every command, also alone, with more time for each and strict bounds. The short form runs beside other
 * tests, on a machine that may be slow: there only what never comes is a failure, as the commands run for hours.
 */
const IS_LONG = process.env["COMMAND_ATTACKS"] === "long";
const TIMEOUT_SECONDS = IS_LONG ? 2 : 1;
const SPARE_MS = IS_LONG ? 2_000 : Infinity;
const AT_ONCE = 20;
/** How long commands are made up for; ten minutes in `npm run soak`. */
const FUZZ_SECONDS = Number(process.env["COMMAND_FUZZ_SECONDS"] ?? 0);
/** A command has one second, and as long again for a wait. */
const FUZZ_ENDED_MS = FUZZ_SECONDS >= 60 ? 15_000 : Infinity;
const MADE_UP = fc.sample(anyCommand, {
  numRuns: Math.max(4, FUZZ_SECONDS * 40),
  seed: inject("fuzzSeed"),
});

/** The program that a command uses. */
const programOf = ([name]: [string, string]) => name.split(":")[0] ?? "";
const ALL = Object.entries(HOSTILE_COMMANDS);
const CHOSEN = IS_LONG ? ALL : drawn(ALL, { of: programOf, kind: programOf });
const BATCHES = Array.from({ length: Math.ceil(CHOSEN.length / AT_ONCE) }, (_, index) =>
  CHOSEN.slice(index * AT_ONCE, (index + 1) * AT_ONCE),
);

/** Whether it ended as it should: by itself, at its timeout, or with 503 where its process was lost. */
function isEnded({ status, ms }: Ran, within = TIMEOUT_SECONDS * 1_000 + SPARE_MS): boolean {
  return [200, 503].includes(status) && ms <= within;
}

function expectAnswers(times: Times | undefined, p99: number): void {
  expect(times?.count).toBeGreaterThan(0);
  expect(times?.p99).toBeLessThanOrEqual(IS_LONG ? p99 : Infinity);
}

describe.each(["embedded", "host"])("hostile commands in a project on %s", (runtime) => {
  let service: TestService;
  let projects: CommandProject[];
  let neighbour: CommandProject;
  beforeAll(async () => {
    service = await startService({ PROJECT_RUNTIME: runtime, COMMAND_RATE_PER_MINUTE: "0" });
    const commands = [...CHOSEN.map(([, command]) => command), ...(runtime === "embedded" ? MADE_UP : [])];
    // Of several people, so that not only the bound of one project holds.
    projects = [];
    for (let count = IS_LONG ? 4 : 2; count > 0; count -= 1) {
      projects.push(await openHostileProject(service, commands.join("\n")));
    }
    neighbour = await openCommandProject(service);
    await neighbour.run("true", 20);
  });
  afterAll(() => service?.close());

  async function attack([name, command]: [string, string], turn = 0): Promise<void> {
    const ran = await projects[turn % projects.length]?.run(command, TIMEOUT_SECONDS);
    expect({ ...ran, name, ended: ran && isEnded(ran) }).toMatchObject({ name, ended: true });
  }

  it("end at their timeout, twenty at once, while others are served", async () => {
    let trues: Times | undefined;
    const health = await healthDuring(service.url, async () => {
      trues = await timesDuring(
        async () => {
          for (const batch of BATCHES) await Promise.all(batch.map(attack));
        },
        async () => expect(await neighbour.run("true", 60)).toMatchObject({ status: 200, exitCode: 0 }),
      );
    });
    expectAnswers(health, 1_000);
    expectAnswers(trues, 2_000);
  });

  it.each(IS_LONG ? ALL : [])("%s alone ends, and the service responds meanwhile", async (...each) => {
    const health = await healthDuring(service.url, () => attack(each));
    expect(health.p99).toBeLessThan(1_000);
  });

  it.each(runtime === "embedded" ? ["a grammar"] : [])(
    "that %s makes end, and the service answers meanwhile",
    { timeout: FUZZ_SECONDS * 1_000 + HANGS_MS },
    async () => {
      const until = Date.now() + FUZZ_SECONDS * 1_000;
      let ran = 0;
      const health = await healthDuring(service.url, async () => {
        await Promise.all(
          projects.map(async (project) => {
            do {
              const command = MADE_UP[ran % MADE_UP.length] ?? "true";
              ran += 1;
              const outcome = await project.run(command, 1);
              expect([command, outcome, isEnded(outcome, FUZZ_ENDED_MS)]).toEqual([command, outcome, true]);
            } while (Date.now() < until);
          }),
        );
      });
      expectAnswers(health, 1_000);
    },
  );
});
