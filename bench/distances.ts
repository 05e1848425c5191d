import type { Distances } from "#local/distances.ts";

/**
 * What lies between the parts of a deployment, in milliseconds, as far as the servers of this machine can add it.
 *
 * Database: a query over HTTP from a Worker in the database's region, by Neon's own benchmark
 * (https://neon.com/docs/guides/benchmarking-latency). Queue: publishing from a Worker, and from then to the delivery, as the design
 * of this service assumes for QStash, which publishes no figure. Redis: Upstash within a region
 * (https://upstash.com/docs/redis/help/faq). Objects and buckets are in workerd and cannot be moved: what a call to an object in the
 * same place takes (3 ms) is to be added for each call that stands beside a figure.
 */
export const AS_DEPLOYED = { database: 8, publish: 35, delivery: 90, redis: 5 } satisfies Distances;
