import { agentStep } from "./agent-step.ts";
import { deliverMessageFunction } from "./deliver-message.ts";
import { finishRun } from "./finish-run.ts";
import { payCreator } from "./pay-creator.ts";
import { receiveMessage } from "./receive-message.ts";
import { saveProject } from "./save-project.ts";
import { sendMail } from "./send-mail.ts";
import { runDeployment } from "./run-deployment.ts";
import { JOBS } from "./jobs.ts";
import { serve } from "./serve.ts";
import { settleProject } from "./settle-project.ts";
import { resumeTask } from "./resume-task.ts";
import { showProgress } from "./show-progress.ts";
import { startRun } from "./start-run.ts";
import { stopTasks } from "./stop-tasks.ts";
import { tickSchedules } from "./tick-schedules.ts";
import { taskFinished } from "./task-finished.ts";

/** Every function the queue may call, by its name under `/functions/`. */
export const functions = serve([
  agentStep,
  deliverMessageFunction,
  finishRun,
  payCreator,
  receiveMessage,
  saveProject,
  sendMail,
  settleProject,
  resumeTask,
  runDeployment,
  showProgress,
  startRun,
  stopTasks,
  taskFinished,
  tickSchedules,
  ...JOBS,
]);
