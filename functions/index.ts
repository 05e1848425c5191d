import { agentStep } from "./agent-step.ts";
import { cloneRepository } from "./clone-repository.ts";
import { deliverCallback } from "./deliver-callback.ts";
import { deliverMessageFunction } from "./deliver-message.ts";
import { destroyWorkspace } from "./destroy-workspace.ts";
import { receiveMessage } from "./receive-message.ts";
import { sendMail } from "./send-mail.ts";
import { serve } from "./serve.ts";
import { settleProject } from "./settle-project.ts";
import { resumeTask } from "./resume-task.ts";
import { showProgress } from "./show-progress.ts";
import { stopTasks } from "./stop-tasks.ts";
import { taskFinished } from "./task-finished.ts";

/** Every function the queue may call, by its name under `/functions/`. */
export const functions = serve([
  agentStep,
  cloneRepository,
  deliverCallback,
  deliverMessageFunction,
  destroyWorkspace,
  receiveMessage,
  sendMail,
  settleProject,
  resumeTask,
  showProgress,
  stopTasks,
  taskFinished,
]);
