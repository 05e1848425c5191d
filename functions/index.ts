import { agentStep } from "./agent-step.ts";
import { deliverCallback } from "./deliver-callback.ts";
import { destroyWorkspace } from "./destroy-workspace.ts";
import { revokeKeyTasks } from "./revoke-key-tasks.ts";
import { sendMail } from "./send-mail.ts";
import { serve } from "./serve.ts";
import { startTask } from "./start-task.ts";
import { taskFinished } from "./task-finished.ts";

/** Every function the queue may call, by its name under `/functions/`. */
export const functions = serve([
  agentStep,
  deliverCallback,
  destroyWorkspace,
  revokeKeyTasks,
  sendMail,
  startTask,
  taskFinished,
]);
