/** The methods that modules of httpd have; httpd compares the case of a name. */
export const balancerMethods: readonly string[] = ["byrequests", "bytraffic", "bybusyness", "heartbeat"];

/** The methods by the names that other servers have for them. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ["leastconn", "bybusyness"],
  ["leastconnections", "bybusyness"],
  ["leastconnection", "bybusyness"],
  ["roundrobin", "byrequests"],
  ["weightedroundrobin", "byrequests"],
]);

/** Returns the method that another server has by a name, such as `least_conn`; undefined if none of them has it. */
export function findBalancerMethod(name: string): string | undefined {
  const plain = name.toLowerCase().replace(/[_-]/g, "");
  return otherNames.get(plain) ?? balancerMethods.find((method) => method === plain);
}

/** Returns the identifier of the module that has a method. */
export function methodModule(name: string): string {
  return `lbmethod_${name}_module`;
}
