import { command } from "../command.ts";
import { openService } from "../service.ts";

export const cancel = command("cancel", {
  description: "Stop a task",
  args: { task: { type: "positional", description: "Id of the task" } },
  async run(context, { task }) {
    const { workspace } = await openService(context);
    const cancelled = await workspace.tasks.get(task).cancel();
    const { status } = cancelled;
    context.output.show(
      cancelled,
      status === "cancelled" ? "The task stops" : `The task was ${status} already`,
    );
  },
});
