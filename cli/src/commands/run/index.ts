import { text } from "node:stream/consumers";
import { command } from "../../command.ts";
import type { Context } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import { EXIT } from "../../exit-codes.ts";
import { durationMs } from "../../input/duration.ts";
import { onInterrupt } from "../../input/interrupts.ts";
import { openService, projectIdOf } from "../../service.ts";
import { followTask, requireCompleted } from "../../tasks/follow-task.ts";
import { MODES, startTask } from "../../tasks/start.ts";
import { bold } from "../../output/styles.ts";

export const run = command("run", {
  description: "Have the agent do something, and print its answer",
  args: {
    message: { type: "positional", description: "What it is to do; - reads it from standard input" },
    follow: { type: "boolean", alias: "f", description: "Show all that it does" },
    detach: { type: "boolean", description: "Print the task's id, and do not wait" },
    mode: {
      type: "enum",
      options: [...MODES],
      description: "ask: ask before changes and commands. allow: ask nothing. plan: change nothing",
    },
    project: { type: "string", alias: "p", description: "Id or slug of the project" },
    chat: { type: "string", description: "Id of the chat to continue; a new one when absent" },
    agent: { type: "string", description: "Id of the agent" },
    model: { type: "string", description: "Model of this message" },
    timeout: { type: "string", description: "Longest time to wait, as 90s or 5m; the task goes on after it" },
  },
  async run(context, args) {
    if (args.follow && args.detach) throw new UsageError("--follow and --detach contradict each other");
    const timeoutMs = args.timeout === undefined ? undefined : durationMs(args.timeout);
    const message = await messageOf(args.message);
    const service = await openService(context);
    const projectId = await projectIdOf(context, service, args.project);
    const { mode, agent: agentId, model, chat: chatId } = args;
    // A task that is asked for may begin: it is left once its id is known.
    let isInterrupted = false;
    const release = onInterrupt(() => {
      if (isInterrupted) process.exit(EXIT.stopped);
      isInterrupted = true;
      context.output.note("Leaving once the task has an id …");
    });
    const task = await startTask(service, { projectId, message, mode, agentId, model, chatId }).finally(
      release,
    );
    const { task_id: taskId } = task;
    if (args.detach) {
      context.output.show(task, taskId);
      if (!context.output.json) context.output.note(`\`workspace logs -f ${taskId}\` follows it.`);
      return;
    }
    if (args.follow) tellStart(context, taskId);
    const following = { taskId, isShown: args.follow === true, timeoutMs, isInterrupted };
    const done = await followTask(context, service, following);
    if (!args.follow)
      context.output.show({ ...task, status: done.status, response: done.response }, done.response ?? "");
    requireCompleted(done);
  },
});

function tellStart({ output }: Context, taskId: string): void {
  if (!output.json) output.note("Task ", bold(taskId));
}

async function messageOf(given: string): Promise<string> {
  const message = given === "-" ? await text(process.stdin) : given;
  if (message.trim() === "") throw new UsageError("The message is empty");
  return message;
}
