import { answerLines } from "../chat/answer-lines.ts";
import { ChatSession } from "../chat/chat-session.ts";
import { lastChat, showHistory } from "../chat/show-history.ts";
import { talk } from "../chat/talk.ts";
import { command } from "../command.ts";
import { UsageError } from "../errors.ts";
import { openLiveService, projectIdOf } from "../service.ts";
import { MODES } from "../tasks/start.ts";

export const chat = command("chat", {
  description: "Talk with the agent; without a terminal, each line of standard input is a message",
  args: {
    resume: { type: "boolean", alias: "r", description: "Go on in the project's last chat" },
    chat: { type: "string", description: "Id of the chat to go on in" },
    mode: {
      type: "enum",
      options: [...MODES],
      description: "ask: ask before changes and commands. allow: ask nothing. plan: change nothing",
    },
    model: { type: "string", description: "Model of the messages" },
    agent: { type: "string", description: "Id of the agent" },
    project: { type: "string", alias: "p", description: "Id or slug of the project" },
  },
  async run(context, args) {
    if (args.resume && args.chat !== undefined) {
      throw new UsageError("--resume and --chat contradict each other");
    }
    const { output, input } = context;
    const { stdin, stderr } = process;
    const service = await openLiveService(context);
    const project = await projectIdOf(context, service, args.project);
    const chatId = args.resume ? await lastChat(service, project) : args.chat;
    if (chatId !== undefined) await showHistory(service, chatId, output);
    const options = { project, chatId, agentId: args.agent, mode: args.mode, model: args.model };
    if (!input.canAsk || !stdin.isTTY || !stderr.isTTY) {
      const session = new ChatSession(context, service, { ...options, interrupt: () => {} });
      return answerLines(stdin, session);
    }
    output.aside("/help lists the commands. Ctrl-C stops the agent, twice leaves.");
    await talk(
      context,
      { stdin, screen: stderr },
      (asking) => new ChatSession(context, service, { ...options, ...asking }),
    );
  },
});
