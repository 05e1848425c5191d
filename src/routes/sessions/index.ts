import type { Endpoint } from "#src/http/endpoint.ts";
import { endOtherSessions } from "./end-others.ts";
import { endSession } from "./end.ts";
import { listSessions } from "./list.ts";

export const sessionEndpoints: readonly Endpoint[] = [listSessions, endSession, endOtherSessions];
