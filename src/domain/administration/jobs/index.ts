export { dropJob, retryJobs } from "./given-up.ts";
export { pageOfGivenUp } from "./queries.ts";
