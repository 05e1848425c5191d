import type { Endpoint } from "#src/http/endpoint.ts";
import { active, activeInProject } from "./active.ts";
import { agentEvents } from "./agent-events.ts";
import { agentRun } from "./agent-run.ts";
import { agentStream } from "./agent-stream.ts";
import { approval, approvals, getApproval } from "./approval.ts";
import { deleteAttachment } from "./attachments/delete.ts";
import { uploadAttachment } from "./attachments/upload.ts";
import { cancel, forceCancel } from "./cancel.ts";
import { compact } from "./compact.ts";
import { create } from "./create.ts";
import { list } from "./list.ts";
import { clear, history, sessionMessages } from "./messages.ts";
import { search } from "./search.ts";
import { projectSessions, standaloneSessions } from "./sessions.ts";
import { sidebar } from "./sidebar.ts";
import { streamProject } from "./stream-project.ts";
import { stream } from "./stream.ts";
import { surroundings } from "./surroundings.ts";
import { move, remove, undo, update } from "./update.ts";

/** Literal paths come before paths with a parameter in the same place. */
export const chatEndpoints: readonly Endpoint[] = [
  stream,
  agentStream,
  agentRun,
  agentEvents,
  streamProject,
  active,
  activeInProject,
  approval,
  approvals,
  getApproval,
  cancel,
  forceCancel,
  list,
  create,
  search,
  standaloneSessions,
  sessionMessages,
  projectSessions,
  history,
  clear,
  update,
  move,
  remove,
  undo,
  compact,
  uploadAttachment,
  deleteAttachment,
  sidebar,
  surroundings,
];
