import type { Endpoint } from "#src/http/endpoint.ts";
import { closeSession } from "./close.ts";
import { getSession } from "./get.ts";
import { listSessions } from "./list.ts";
import { openSession } from "./open.ts";
import { readOutput } from "./output.ts";
import { writeSession } from "./write.ts";

export const shellEndpoints: readonly Endpoint[] = [
  openSession,
  listSessions,
  getSession,
  writeSession,
  readOutput,
  closeSession,
];
