export { dropJob, retryJobs } from "./given-up.ts";
export { pageOfGivenUp, storeMissingJobs } from "./queries.ts";
