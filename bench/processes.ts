import { execFileSync } from "node:child_process";

interface Process {
  pid: number;
  parent: number;
  /** Memory in use, in bytes. */
  resident: number;
  command: string;
}

/** A process and all that it started, directly or not. */
export function processTree(root: number): Process[] {
  const all = listProcesses();
  const tree = all.filter(({ pid }) => pid === root);
  // The list grows while it is walked.
  for (const { pid } of tree) tree.push(...all.filter(({ parent }) => parent === pid));
  return tree;
}

function listProcesses(): Process[] {
  const output = execFileSync("ps", ["-A", "-o", "pid=,ppid=,rss=,comm="], { encoding: "utf8" });
  return output
    .trim()
    .split("\n")
    .map((line) => {
      const [pid, parent, kilobytes, ...command] = line.trim().split(/\s+/u);
      return {
        pid: Number(pid),
        parent: Number(parent),
        resident: Number(kilobytes) * 1024,
        command: command.join(" "),
      };
    });
}
