import { command } from "../../command.ts";
import { CommandError } from "../../errors.ts";
import { EXIT, type ExitCode } from "../../exit-codes.ts";
import { bold, green, red, yellow } from "../../output/styles.ts";
import { failureOf } from "../../report.ts";
import { findTarget } from "../../service.ts";
import { checks, type Check, type Finding } from "./checks.ts";

export const doctor = command("doctor", {
  description: "Look for what is wrong, and say what to do",
  async run(context) {
    const { output } = context;
    const { address } = await findTarget(context);
    const found: Finding[] = [];
    const failed: { check: string; exitCode: ExitCode }[] = [];
    for (const check of checks) {
      const { finding, exitCode } = await findingOf(check, () => check.look(context, { address, found }));
      found.push(finding);
      if (exitCode !== EXIT.ok) failed.push({ check: check.name, exitCode });
      output.show(finding, () => [
        [
          finding.state === "ok" ? green("✓ ") : finding.state === "skipped" ? yellow("- ") : red("✗ "),
          bold(finding.check.padEnd(8)),
          finding.detail,
        ],
        ...(finding.advice === null ? [] : [[`          ${finding.advice}`]]),
      ]);
    }
    const [first] = failed;
    if (!first) return;
    const names = failed.map(({ check }) => check).join(", ");
    throw new CommandError(first.exitCode, "unhealthy", `Not well: ${names}`);
  },
});

async function findingOf(
  { name, advice: general }: Check,
  look: () => Promise<string | undefined>,
): Promise<{ finding: Finding; exitCode: ExitCode }> {
  try {
    const detail = await look();
    const finding =
      detail === undefined
        ? ({ check: name, state: "skipped", detail: "not looked at", advice: null } as const)
        : ({ check: name, state: "ok", detail, advice: null } as const);
    return { finding, exitCode: EXIT.ok };
  } catch (error) {
    const { exitCode, detail, advice } = failureOf(error);
    return {
      finding: { check: name, state: "failed", detail, advice: advice ?? general },
      // The time that is over is that of a request, not one that the caller has named.
      exitCode: exitCode === EXIT.timeout ? EXIT.unreachable : exitCode,
    };
  }
}
