import { expect, it } from "vitest";
import { sandboxCommand } from "#local/runtime-host/sandbox-command.ts";

it("starts every bash of a sandbox without a ~/.bashrc, which bash reads when its input is a socket", () => {
  const command = sandboxCommand({
    programs: { folder: "/service", node: "/service/node", npm: undefined, hidden: [], isFiltered: true },
    files: "/files",
    run: undefined,
    limits: { memoryBytes: 1, tasks: 1, cpuPercent: 1, diskBytes: 1 },
    wayOut: "none",
    command: ["/bin/true"],
    cgroups: [],
  });
  const afterBash = command.flatMap((word, place) => (word === "/bin/bash" ? [command[place + 1]] : []));
  expect(afterBash).toEqual(["--norc", "--norc", "--norc"]);
});
