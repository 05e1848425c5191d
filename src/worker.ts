import { runCron } from "#functions/cron.ts";
import { createApp } from "./app.ts";
import { checkEnv } from "./env.ts";
import { notConfigured } from "./http/not-configured.ts";
import { createLog } from "./platform/log/log.ts";
import { createServices } from "./services.ts";

export { Executor } from "#functions/executor.ts";
export { ChannelConnection } from "#durable-objects/channel-connection/index.ts";
export { GatewayShard } from "#durable-objects/gateway-shard/index.ts";
export { ProjectSockets } from "#durable-objects/project-sockets/index.ts";
export { ProjectWorkspace } from "#durable-objects/project-workspace/index.ts";
export { RateLimiter } from "#durable-objects/rate-limiter/index.ts";
export { TaskLog } from "#durable-objects/task-log/index.ts";
export { Terminals } from "#durable-objects/terminals/index.ts";

const app = createApp();

export default {
  fetch(request, bindings, ctx) {
    const checked = checkEnv(bindings);
    return checked.ok ? app.fetch(request, checked.env, ctx) : notConfigured(checked.problems);
  },
  async scheduled(controller, bindings) {
    const checked = checkEnv(bindings);
    if (checked.ok)
      await runCron(
        createServices(checked.env, createLog({ request_id: crypto.randomUUID() })),
        controller.cron,
      );
    else notConfigured(checked.problems);
  },
} satisfies ExportedHandler<object>;
