import { dataFrame, jsonFrame, type LoggedEvent } from "#src/lib/server-sent-events.ts";
import type { ChatEvent } from "#src/wire/task-events.ts";

/** For clients that close a stream that carries no data for a while. */
export const DATA_HEARTBEAT = jsonFrame({ type: "agent_heartbeat", data: {} } satisfies ChatEvent);

/**
 * An event for clients of the rich streams: that of the log, except that a call with its result is a `tool_call`. It has an
 * id when the client can resume with it. It never has an `event` line, which these clients do not parse.
 */
export function richFrame({ id, type, data }: LoggedEvent, withId: boolean): string {
  const text = type === "tool_result" ? data.replace('{"type":"tool_result"', '{"type":"tool_call"') : data;
  return withId && id > 0 ? `id: ${id}\n${dataFrame(text)}` : dataFrame(text);
}
