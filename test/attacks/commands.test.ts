import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startService, type TestService } from "#test/support/service.ts";
import { HOSTILE_COMMANDS } from "./support/hostile-commands.ts";
import {
  openCommandProject,
  openHostileProjects,
  type CommandProject,
  type Ran,
} from "./support/hostile-project.ts";
import { healthDuring, timesDuring, type Times } from "./support/watched-health.ts";

/** `COMMAND_ATTACKS=long`: every command alone as well, more time for each, and the strict bounds. */
const IS_LONG = process.env["COMMAND_ATTACKS"] === "long";
const TIMEOUT_SECONDS = IS_LONG ? 2 : 1;
/**
 * How much longer than its timeout a command may take. The short form runs beside other tests, on a machine that may be slow:
 * there the bounds only tell what is late from what never comes, as the commands run for hours.
 */
const SPARE_MS = IS_LONG ? 2_000 : 120_000;
const AT_ONCE = 20;

const ALL = Object.entries(HOSTILE_COMMANDS);
/** In the short run, only some of the commands that no limit of the shell ends. */
const ALONE = IS_LONG
  ? ALL
  : ALL.filter(([name]) =>
      ["awk: nested loops", "jq: indices", "awk: toupper kept", "diff: nothing alike"].includes(name),
    );
const BATCHES = Array.from({ length: Math.ceil(ALL.length / AT_ONCE) }, (_, index) =>
  ALL.slice(index * AT_ONCE, (index + 1) * AT_ONCE),
);

/** Whether it ended as it should: by itself, at its timeout, or with 503 where its process was lost. */
function isEnded({ status, ms }: Ran): boolean {
  return [200, 503].includes(status) && ms <= TIMEOUT_SECONDS * 1_000 + SPARE_MS;
}

function worstOf(health: Times): number {
  return IS_LONG ? health.p99 : health.max;
}
const WORST_MS = IS_LONG ? 1_000 : 60_000;

describe.each(["embedded", "host"])("hostile commands in a project on %s", (runtime) => {
  let service: TestService;
  let attack: (command: string, turn?: number) => Promise<Ran>;
  let neighbour: CommandProject;
  beforeAll(async () => {
    service = await startService({ PROJECT_RUNTIME: runtime, COMMAND_RATE_PER_MINUTE: "0" });
    // Of several people, so that not only the bound of one project holds.
    const projects = await openHostileProjects(service, 3);
    attack = (command, turn = 0) => {
      const project = projects[turn % projects.length];
      if (!project) throw new Error("No project");
      return project.run(command, TIMEOUT_SECONDS);
    };
    neighbour = await openCommandProject(service);
    await neighbour.run("true", 20);
  });
  afterAll(() => service?.close());

  it.each(ALONE)("%s: it ends, and the service responds meanwhile", async (name, command) => {
    const health = await healthDuring(service.url, async () => {
      const ran = await attack(command);
      expect({ ...ran, name, ended: isEnded(ran) }).toMatchObject({ name, ended: true });
    });
    expect(worstOf(health)).toBeLessThan(WORST_MS);
  });

  const attackWithAll = async () => {
    for (const batch of BATCHES)
      await Promise.all(
        batch.map(async ([name, command], turn) => {
          const ran = await attack(command, turn);
          expect({ ...ran, name, ended: isEnded(ran) }).toMatchObject({ name, ended: true });
        }),
      );
  };

  it("twenty at once end, while others are served", { timeout: 300_000 }, async () => {
    let trues: Times | undefined;
    const health = await healthDuring(service.url, async () => {
      trues = await timesDuring(attackWithAll, async () =>
        expect(await neighbour.run("true", 60)).toMatchObject({ status: 200, exitCode: 0 }),
      );
    });
    process.stderr.write(`${runtime}: /health ${JSON.stringify(health)}, true ${JSON.stringify(trues)}\n`);
    expect(worstOf(health)).toBeLessThan(WORST_MS);
    // The middle of the short form is only a few commands on a busy machine.
    expect(IS_LONG ? trues?.p99 : trues?.p50).toBeLessThan(IS_LONG ? 2_000 : WORST_MS);
  });
});
