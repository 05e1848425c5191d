import { WorkspaceError } from "@agent-workspace/client";
import { command } from "../command.ts";
import { UsageError } from "../errors.ts";
import { startProject } from "../exec/start-project.ts";
import { openLiveService, projectIdOf } from "../service.ts";
import { chooseTarget } from "../shell/choose-target.ts";
import { runShell } from "../shell/run-shell.ts";

export const shell = command("shell", {
  description: "Open a shell in the project; the keys ~. on a new line leave it",
  args: {
    session: { type: "string", description: "Id of a session to come back to, within 30 s of leaving it" },
    target: { type: "string", description: "Where it runs: ephemeral, environment or ctr:ID of a container" },
    project: { type: "string", alias: "p", description: "Id or slug of the project" },
  },
  async run(context, args) {
    const { stdin, stdout } = process;
    if (!stdin.isTTY || !stdout.isTTY || context.options.json || !context.options.input) {
      throw new UsageError(
        "A shell needs a terminal",
        "`workspace exec -- COMMAND` runs one command without.",
      );
    }
    const service = await openLiveService(context);
    const project = await projectIdOf(context, service, args.project);
    const { session } = args;
    if (session === undefined) await startProject(service.workspace, project);
    const target =
      args.target ?? (session === undefined ? await chooseTarget(context, service, project) : undefined);
    const left = await runShell({
      stdin,
      stdout,
      tell: (words) => context.output.aside(words),
      open: (options) => {
        // From here on the keys are the shell's.
        context.output.aside("Connecting … The keys ~. on a new line leave the shell.");
        return service.workspace.terminal(project, {
          ...options,
          ...(session !== undefined && { session }),
          ...(target !== undefined && { target }),
        });
      },
    }).catch((error: unknown) => {
      if (error instanceof WorkspaceError && error.code === "target_needed") {
        throw new UsageError(error.detail, "Name it with --target.");
      }
      throw error;
    });
    // The shell may have left its cursor in the middle of a line.
    context.output.note("");
    if (!left.isLeft) {
      if (left.reason) context.output.aside(left.reason);
    } else if (left.session !== undefined) {
      context.output.note(`Left. Within 30 s \`workspace shell --session ${left.session}\` comes back.`);
    }
  },
});
