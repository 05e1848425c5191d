import type { Button, SentFile, SlackMessage, SlackState, SlackUser } from "./state.ts";
import { wireMessage } from "./state.ts";

/** The wrapper of an event. Every delivery of it has the same `event_id`. */
export function eventCallback(state: SlackState, event: object): Record<string, unknown> {
  return {
    token: "verification-token",
    team_id: state.teamId,
    api_app_id: state.appId,
    event,
    type: "event_callback",
    event_id: `Ev${state.next()}`,
    event_time: Math.floor(Date.now() / 1000),
    authorizations: [
      {
        enterprise_id: null,
        team_id: state.teamId,
        user_id: state.botUser.id,
        is_bot: true,
        is_enterprise_install: false,
      },
    ],
    is_ext_shared_channel: false,
  };
}

/** Events of one message: a mention in a channel makes two. */
export function messageEvents(state: SlackState, message: SlackMessage, origin: string): object[] {
  const { channelId, userId, text, ts, threadTs, files } = message;
  const parent = state.find(channelId, threadTs);
  const isDirect = channelId.startsWith("D");
  const shared = {
    user: userId,
    text,
    ts,
    team: state.teamId,
    channel: channelId,
    event_ts: ts,
    ...(threadTs !== undefined && { thread_ts: threadTs }),
    ...(parent !== undefined && { parent_user_id: parent.userId }),
    ...(files.length > 0 && { files: files.map((file) => wireFile(state, file, origin)) }),
  };
  const own = {
    type: "message",
    ...(files.length > 0 && { subtype: "file_share" }),
    client_msg_id: `client-${ts}`,
    ...shared,
    channel_type: isDirect ? "im" : "channel",
  };
  const isMention = text.includes(`<@${state.botUser.id}>`) && !isDirect;
  return isMention ? [own, { type: "app_mention", ...shared }] : [own];
}

function wireFile(state: SlackState, file: SentFile, origin: string): object {
  const address = origin + state.addFile(file);
  return {
    id: `F${state.next()}`,
    name: file.filename,
    mimetype: file.mimeType,
    size: file.bytes.length,
    url_private: address,
    url_private_download: address,
  };
}

interface Press {
  message: SlackMessage;
  button: Button;
  by: SlackUser;
  responseUrl: string;
}

/** A press on a button. */
export function blockActions(state: SlackState, { message, button, by, responseUrl }: Press): object {
  return {
    type: "block_actions",
    user: { id: by.id, username: by.name, name: by.name, team_id: state.teamId },
    api_app_id: state.appId,
    token: "verification-token",
    container: {
      type: "message",
      message_ts: message.ts,
      channel_id: message.channelId,
      is_ephemeral: false,
    },
    trigger_id: `${state.next()}.trigger`,
    team: { id: state.teamId, domain: "mock" },
    enterprise: null,
    is_enterprise_install: false,
    channel: { id: message.channelId, name: "mock" },
    message: wireMessage(message, state),
    response_url: responseUrl,
    actions: [{ ...button, block_id: "block", action_ts: state.newTs() }],
  };
}

interface Command {
  channelId: string;
  command: string;
  text: string;
  by: SlackUser;
  responseUrl: string;
}

/** A slash command: a form over HTTP, an object over a socket. */
export function slashCommand(
  state: SlackState,
  { channelId, command, text, by, responseUrl }: Command,
): Record<string, string> {
  return {
    token: "verification-token",
    team_id: state.teamId,
    team_domain: "mock",
    channel_id: channelId,
    channel_name: channelId.startsWith("D") ? "directmessage" : "mock",
    user_id: by.id,
    user_name: by.name,
    command,
    text,
    api_app_id: state.appId,
    is_enterprise_install: "false",
    response_url: responseUrl,
    trigger_id: `${state.next()}.trigger`,
  };
}
