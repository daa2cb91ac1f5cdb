// Said first to a program without end, by a script in which nothing reads what it prints.

export const ALONE = "__gsv_alone";
