import type { Recipient } from "#src/domain/schedules/targets/index.ts";
import type { OpenRun } from "./queries/open-run.ts";

/** For whom the targets of a run are looked up. */
export function recipientOf({ run, schedule }: Pick<OpenRun, "run" | "schedule">): Recipient {
  const { originPlatform: platform, originChatId: chatId } = schedule;
  return {
    userId: schedule.userId,
    projectId: schedule.projectId ?? run.id,
    apiKeyId: schedule.apiKeyId,
    taskId: run.taskId,
    origin:
      platform === null || chatId === null
        ? null
        : {
            platform,
            chatId,
            channelId: schedule.originConfigId,
            chatType: schedule.originChatType,
            threadId: schedule.originThreadId,
          },
  };
}
