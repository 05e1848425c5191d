import type { Endpoint } from "#src/http/endpoint.ts";
import { getMe } from "./get-me.ts";
import { updateMe } from "./update-me.ts";

export const userEndpoints: readonly Endpoint[] = [getMe, updateMe];
