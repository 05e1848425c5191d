export { endWaysIn, holdAllInOwnTeam, shutOthersOut } from "./queries.ts";
