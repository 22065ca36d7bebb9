import { main } from "./main.js";

main(process.argv.slice(2), (code) => process.exit(code));
