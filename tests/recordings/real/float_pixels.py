"""pydicom asks for an attribute that float pixel data must not have; one check is changed."""

from imported import ImportedLog, RealSession

HANDLER = "pydicom/pixel_data_handlers/numpy_handler.py"
SCRIPT = "reproduce_bug.py"


def ask(log: ImportedLog) -> None:
    """What is asked after each of the two points."""
    ask_issue(log)
    ask_handler(log)
    ask_next(log)
    log.go_on()
    ask_change(log)
    ask_proof(log)
    ask_further(log)


def ask_issue(log: ImportedLog) -> None:
    """The issue and how it showed itself."""
    fact, trap = log.fact, log.trap
    log.probe(
        "issue",
        "recall",
        "What does the pydicom issue complain of: which attribute does the NumPy handler ask for, "
        "with which two kinds of pixel data is that wrong, why, and which property should work "
        "without it?",
        [
            fact(
                "the NumPy handler requires the Pixel Representation attribute",
                type="state",
                keys=[
                    "Pixel Representation|PixelRepresentation",
                    "require|requires|required|demands|asks|optional|mandatory|needs|need|insists",
                ],
                said_in=["m0001"],
            ),
            fact(
                "it is wrong with Float Pixel Data and Double Float Pixel Data",
                type="value",
                keys=[
                    "Float Pixel Data|FloatPixelData",
                    "Double Float Pixel Data|DoubleFloatPixelData|Double Float",
                ],
                said_in=["m0008"],
            ),
            fact(
                "with these the attribute shall be absent",
                type="reason",
                keys=[
                    "absent|not present|not be present|must not be there|must not have|"
                    "shall not have|forbidden",
                    "attribute|Pixel Representation|PixelRepresentation",
                ],
                said_in=["m0001"],
            ),
            fact(
                "Dataset.pixel_array should decode such an element",
                type="constraint",
                keys=[
                    "pixel_array|Dataset.pixel_array",
                    "decode|decodes|decoding|work|works|read|property|return|returns|access",
                ],
                said_in=["m0001"],
            ),
        ],
        [
            trap(
                "the handler requires Photometric Interpretation wrongly",
                of="the NumPy handler requires the Pixel Representation attribute",
                keys=[
                    "Photometric Interpretation|PhotometricInterpretation|Bits Allocated|"
                    "Samples per Pixel",
                    "optional|wrongly|absent|unneeded|unnecessary",
                ],
            ),
        ],
    )
    log.probe(
        "traceback",
        "recall",
        "Which error did the run of the reproduction script end with and in which line of the "
        "NumPy handler was it raised, which function of the handler raised it, which method of "
        "dataset.py called that, and at which line?",
        [
            fact(
                "AttributeError: required elements are missing from the dataset: "
                "PixelRepresentation",
                type="error",
                keys=["AttributeError", "PixelRepresentation|Pixel Representation"],
                said_in=["m0007"],
            ),
            fact(
                "it was raised in line 293 of the handler",
                type="value",
                keys=["293", "numpy_handler.py|handler|get_pixeldata|line|raised|raise"],
                said_in=["m0007", "m0010"],
            ),
            fact(
                "get_pixeldata raised it",
                type="identifier",
                keys=["get_pixeldata"],
                said_in=["m0007"],
            ),
            fact(
                "_do_pixel_data_conversion called the handler",
                type="identifier",
                keys=["_do_pixel_data_conversion"],
                said_in=["m0007"],
            ),
            fact(
                "the call stands in line 1563 of dataset.py",
                type="value",
                keys=["1563", "line|dataset.py|_do_pixel_data_conversion"],
                said_in=["m0007"],
            ),
        ],
        [
            trap(
                "convert_pixel_data called get_pixeldata in line 1444",
                of="the call stands in line 1563 of dataset.py",
                keys=["1444|1536|1556|1882|836", "get_pixeldata|called|calls|call"],
            ),
        ],
    )


def ask_handler(log: ImportedLog) -> None:
    """The files and the check that was read."""
    fact, trap = log.fact, log.trap
    log.probe(
        "files",
        "file",
        "Which file was made for the pydicom bug, which file was opened "
        "as the place of the error and how many lines has that, and in which two other folders of "
        "the package does a file of the same name lie?",
        [
            fact(
                f"{SCRIPT} was created",
                type="path",
                keys=[SCRIPT],
                change="created",
                said_in=["m0002"],
            ),
            fact(
                f"{HANDLER} was read",
                type="path",
                keys=[HANDLER],
                change="read",
                said_in=["m0010", "m0011"],
            ),
            fact(
                "the opened file has 372 lines",
                type="value",
                keys=["372", "lines|line|lines total"],
                said_in=["m0011"],
            ),
            fact(
                "one of that name lies in overlays",
                type="identifier",
                keys=["overlays"],
                said_in=["m0009"],
            ),
            fact(
                "one of that name lies in waveforms",
                type="identifier",
                keys=["waveforms"],
                said_in=["m0009"],
            ),
        ],
        [
            trap(
                "overlays/numpy_handler.py was opened",
                of=f"{HANDLER} was read",
                keys=[
                    "overlays/numpy_handler.py|waveforms/numpy_handler.py",
                    "opened|at fault|place of the error|raises|raised|to be changed",
                ],
            ),
        ],
    )
    log.probe(
        "the-check",
        "recall",
        "How does get_pixeldata check the dataset: what is the list of names called that must be "
        "there, which names stand in its second line, how many of the three pixel data keywords "
        "must be present, which name of the list did the failing run lack, and which fault of "
        "the data gives no more than a warning when the data are too short?",
        [
            fact(
                "the list is called required_elements",
                type="identifier",
                keys=["required_elements"],
                said_in=["m0011"],
            ),
            fact(
                "its second line holds SamplesPerPixel and PhotometricInterpretation",
                type="value",
                keys=[
                    "SamplesPerPixel|Samples per Pixel",
                    "PhotometricInterpretation|Photometric Interpretation",
                ],
                said_in=["m0011"],
            ),
            fact(
                "exactly one pixel data keyword must be present",
                type="constraint",
                keys=[
                    "exactly one|one|just one|only one|1|a single one",
                    "Pixel Data|FloatPixelData|PixelData|keyword|keywords|px_keyword|three",
                ],
                said_in=["m0011"],
            ),
            fact(
                "odd length data without its trailing padding byte only gives a warning",
                type="state",
                keys=[
                    "odd length|odd-length|odd",
                    "padding byte|padding|trailing byte|trailing null byte",
                    "missing|warn|warning|lacks|without",
                ],
                said_in=["m0011"],
            ),
            fact(
                "in the run PixelRepresentation was missing",
                type="error",
                keys=[
                    "PixelRepresentation|Pixel Representation",
                    "missing|absent|lacking|lacked|not there|not present",
                ],
                said_in=["m0007", "m0008"],
            ),
        ],
        [
            trap(
                "the list is called keywords",
                of="the list is called required_elements",
                keys=["list|names", "called keywords|is keywords|named keywords"],
            ),
            trap(
                "odd length data without its padding byte raise ValueError",
                of="odd length data without its trailing padding byte only gives a warning",
                keys=["odd length|odd-length|odd|padding byte", "ValueError|AttributeError"],
            ),
        ],
    )


def ask_next(log: ImportedLog) -> None:
    """The example and the next step at the first point."""
    fact, trap = log.fact, log.trap
    log.probe(
        "example",
        "recall",
        "With which values does the script set up its dataset: bits allocated, "
        "photometric interpretation, and which element holds the array of which dtype?",
        [
            fact(
                "the example sets FloatPixelData",
                type="identifier",
                keys=[
                    "FloatPixelData|Float Pixel Data",
                    "ds|element|array|holds|held|example|set|sets|zeros|bytes|script|dataset",
                ],
                said_in=["m0001", "m0004", "m0005"],
            ),
            fact(
                "BitsAllocated is 32",
                type="value",
                keys=["BitsAllocated|Bits Allocated|bits", "32"],
                said_in=["m0001", "m0004", "m0005"],
            ),
            fact(
                "the photometric interpretation is MONOCHROME2",
                type="value",
                keys=["MONOCHROME2"],
                said_in=["m0001", "m0004", "m0005"],
            ),
            fact(
                "the array has dtype float32",
                type="value",
                keys=["float32|np.float32"],
                said_in=["m0001", "m0004", "m0005"],
            ),
        ],
        [
            trap(
                "BitsAllocated is 64",
                of="BitsAllocated is 32",
                keys=["BitsAllocated|Bits Allocated", "64|16"],
            ),
            trap(
                "the array has dtype float64",
                of="the array has dtype float32",
                keys=["dtype|array", "float64|double"],
            ),
        ],
    )
    log.probe(
        "go-on",
        "continuation",
        "The pydicom bug has been reproduced: what must the next edit make the handler cope with, "
        "by which call does get_pixeldata already tell float data apart, what does the user want "
        "run after the fix, how many commands may be entered at a time, and how is the work "
        "handed in?",
        [
            fact(
                "the handler is to be changed so that PixelRepresentation is not required with "
                "float data",
                type="next_step",
                keys=[
                    "PixelRepresentation|Pixel Representation",
                    "not required|not require|no longer required|not needed|optional|not demanded|"
                    "without|absent|missing|absence",
                    "modify|change|handle|handler|code|edit|float|cases|adapt|check",
                ],
                said_in=["m0008"],
            ),
            fact(
                "pixel_dtype takes as_float",
                type="identifier",
                keys=["pixel_dtype"],
                said_in=["m0011"],
            ),
            fact(
                "the reproduction script is to be run again after the fix",
                type="next_step",
                keys=[
                    "script|bug reproduction script|reproduce_bug.py",
                    "re-run|rerun|run|running|again|once more",
                ],
                said_in=["m0001"],
            ),
            fact(
                "only one command at a time may be entered",
                type="constraint",
                keys=["one command|one|single|single command", "command|at a time"],
                said_in=["m0000", "m0001"],
            ),
            fact(
                "the submit command hands the work in",
                type="constraint",
                keys=[
                    "submit",
                    "command|hand|handed|run|running|changes|work|end|finish|terminates",
                ],
                said_in=["m0000", "m0001"],
            ),
        ],
        [
            trap(
                "a git commit ends the work",
                of="the submit command hands the work in",
                keys=["git commit|git push|pull request"],
            ),
        ],
    )


def ask_change(log: ImportedLog) -> None:
    """The edit and its failed attempts."""
    fact, trap = log.fact, log.trap
    log.probe(
        "change",
        "file",
        "Which function in which file of pydicom was changed, under which condition does it now ask for which "
        "attribute, how many lines has it now, and which names are asked for in any case?",
        [
            fact(
                f"{HANDLER} was modified",
                type="path",
                keys=[HANDLER],
                change="modified",
                said_in=["m0018", "m0025"],
            ),
            fact(
                "get_pixeldata was changed",
                type="identifier",
                keys=["get_pixeldata"],
                said_in=["m0025"],
            ),
            fact(
                "PixelRepresentation is required only if PixelData is in the dataset",
                type="decision",
                keys=["PixelRepresentation|Pixel Representation", "PixelData|Pixel Data"],
                said_in=["m0020"],
            ),
            fact(
                "the file has 373 lines now",
                type="value",
                keys=["373", "lines|line|lines total"],
                said_in=["m0019"],
            ),
            fact(
                "BitsAllocated, Rows, Columns, SamplesPerPixel and PhotometricInterpretation are "
                "always required",
                type="value",
                keys=[
                    "BitsAllocated|Bits Allocated",
                    "Rows",
                    "Columns",
                    "SamplesPerPixel|Samples per Pixel",
                ],
                said_in=["m0019", "m0025"],
            ),
        ],
        [
            trap(
                "PixelRepresentation is never required now",
                of="PixelRepresentation is required only if PixelData is in the dataset",
                keys=[
                    "PixelRepresentation|Pixel Representation",
                    "dropped altogether|never required|removed entirely|no longer checked|"
                    "removed completely|always required",
                ],
            ),
            trap(
                "the file has 372 lines now",
                of="the file has 373 lines now",
                keys=["372|374"],
            ),
        ],
    )
    log.probe(
        "failed-edits",
        "recall",
        "How did the first attempts to edit the check in pydicom fail: with which lint code were "
        "they refused, what was left over in the second and third, how long would the file have "
        "become with those two, and at which line did the replaced range end that was accepted "
        "at last?",
        [
            fact(
                "the edits were refused with E999 SyntaxError",
                type="error",
                keys=["E999", "SyntaxError|syntax error|error|unmatched"],
                said_in=["m0013", "m0015", "m0017"],
            ),
            fact(
                "after the first one a parenthesis was unmatched",
                type="error",
                keys=[
                    "unmatched|unbalanced|surplus|extra|superfluous",
                    "parenthesis|parentheses|round bracket|paren|closing parenthesis",
                ],
                said_in=["m0016"],
            ),
            fact(
                "the file would have had 374 lines",
                type="value",
                keys=["374", "lines|line|lines total"],
                said_in=["m0015", "m0017"],
            ),
            fact(
                "the successful edit reached to line 296",
                type="command",
                keys=["296"],
                said_in=["m0018"],
            ),
        ],
        [
            trap(
                "the successful edit reached to line 295",
                of="the successful edit reached to line 296",
                keys=[
                    "295|297|298",
                    "succeeded|successful|taken|accepted|applied|in the end|worked",
                ],
            ),
        ],
    )


def ask_proof(log: ImportedLog) -> None:
    """What shows that it works, and what was said before the first point."""
    fact, trap = log.fact, log.trap
    log.probe(
        "proof",
        "recall",
        "In which of its lines did the reproduction script fail before the repair, what did it "
        "print as result after it, what became of the script, how was the work handed in, and with "
        "which blob does the final diff of the handler begin?",
        [
            fact(
                "the script printed Result: True",
                type="command",
                keys=["True", "Result|result|printed|print|output|successfully|script"],
                said_in=["m0021"],
            ),
            fact(
                f"{SCRIPT} was deleted",
                type="path",
                keys=[SCRIPT],
                change="deleted",
                said_in=["m0022"],
            ),
            fact(
                "the diff begins at blob 8e8d319ae",
                type="identifier",
                keys=["8e8d319ae"],
                said_in=["m0025"],
            ),
            fact(
                "before the repair the script failed in its line 17",
                type="error",
                keys=["17", "line|script|reproduce_bug.py"],
                said_in=["m0007"],
            ),
            fact(
                "the changes were handed in with submit",
                type="state",
                keys=["submit|submitted|submission"],
                said_in=["m0024"],
            ),
        ],
        [
            trap(
                "the script is still in the repository",
                of=f"{SCRIPT} was deleted",
                keys=[
                    "script|reproduce_bug.py",
                    "still there|still in the repository|was kept|remains",
                ],
            ),
        ],
    )
    log.probe(
        "before",
        "recall",
        "For the note to the pydicom fix: which pixel data element of which dtype did the "
        "failing example set, which method of dataset.py called the handler and in which line, and "
        "in which line of the handler did the error come before the repair?",
        [
            fact(
                "the example set FloatPixelData",
                type="identifier",
                keys=[
                    "FloatPixelData|Float Pixel Data",
                    "ds|element|array|holds|held|example|set|sets|zeros|bytes|script|dataset",
                ],
                said_in=["m0001", "m0004", "m0005"],
            ),
            fact(
                "the dtype was float32",
                type="value",
                keys=["float32|np.float32"],
                said_in=["m0001", "m0004", "m0005"],
            ),
            fact(
                "_do_pixel_data_conversion called the handler",
                type="identifier",
                keys=["_do_pixel_data_conversion"],
                said_in=["m0007"],
            ),
            fact(
                "that method calls the handler in line 1563",
                type="value",
                keys=["1563", "line|dataset.py|_do_pixel_data_conversion"],
                said_in=["m0007"],
            ),
            fact(
                "the error came in line 293",
                type="error",
                keys=["293", "line|handler|numpy_handler.py|get_pixeldata"],
                said_in=["m0007", "m0010"],
            ),
        ],
        [
            trap(
                "the dtype was float64",
                of="the dtype was float32",
                keys=["float64|double|int32", "dtype|array|example|element"],
            ),
        ],
    )


def ask_further(log: ImportedLog) -> None:
    """Reasons, and what someone needs who works on."""
    fact, trap = log.fact, log.trap
    log.probe(
        "reasons",
        "decision",
        "A reviewer asks about the condition that was put into numpy_handler.py: with which data "
        "may the attribute be missing now, what does the DICOM standard say according to the "
        "issue and in which module, what shows that the repair works, and why could the script go?",
        [
            fact(
                "Float or Double Float Pixel Data are handled without Pixel Representation",
                type="decision",
                keys=[
                    "Float Pixel Data|FloatPixelData|float",
                    "Double Float Pixel Data|DoubleFloatPixelData|Double Float",
                ],
                said_in=["m0012", "m0020"],
            ),
            fact(
                "with float data the attribute shall be absent",
                type="reason",
                keys=[
                    "absent|not present|not be present|must not be there|must not have|"
                    "shall not have|forbidden",
                    "attribute|Pixel Representation|PixelRepresentation",
                ],
                said_in=["m0001"],
            ),
            fact(
                "the issue cites the Floating Point Image Pixel Module Attributes",
                type="identifier",
                keys=[
                    "Floating Point Image Pixel Module|Floating Point Image Pixel Module "
                    "Attributes|C.7.6.24|sect_C.7.6.24",
                ],
                said_in=["m0001"],
            ),
            fact(
                "the result of comparing the arrays is True",
                type="command",
                keys=[
                    "equal|same|identical|True",
                    "array|arrays|pixel_array|np.array_equal|result|script|output",
                ],
                said_in=["m0021"],
            ),
            fact(
                "reproduce_bug.py could go because nobody needed it any more",
                type="reason",
                keys=[
                    "script|reproduce_bug.py",
                    "no longer needed|not needed|no longer necessary|not necessary|unneeded|"
                    "superfluous|served its purpose|clean up|cleanup|obsolete",
                ],
                said_in=["m0022"],
            ),
        ],
        [
            trap(
                "plain Pixel Data may lack the attribute",
                of="Float or Double Float Pixel Data are handled without Pixel Representation",
                keys=[
                    "plain Pixel Data|integer pixel data|ordinary Pixel Data",
                    "may lack|optional|may be missing|no longer needs",
                ],
            ),
        ],
    )
    log.probe(
        "work-on",
        "continuation",
        "Someone goes on with float data in pydicom's get_pixeldata: which of the keywords in its "
        "list comes last and was not in the example, which call takes as_float, what is raised "
        "when the actual length does not fit, and which other two handlers of the same name were "
        "found and left alone?",
        [
            fact(
                "DoubleFloatPixelData is the last keyword",
                type="identifier",
                keys=["DoubleFloatPixelData|Double Float Pixel Data"],
                said_in=["m0011", "m0019"],
            ),
            fact(
                "pixel_dtype takes as_float",
                type="identifier",
                keys=["pixel_dtype"],
                said_in=["m0011"],
            ),
            fact(
                "a length that does not match the expected length raises ValueError",
                type="error",
                keys=["ValueError"],
                said_in=["m0011", "m0019"],
            ),
            fact(
                "the one in overlays was found too",
                type="identifier",
                keys=["overlays"],
                said_in=["m0009"],
            ),
            fact(
                "the one in waveforms was found too",
                type="identifier",
                keys=["waveforms"],
                said_in=["m0009"],
            ),
        ],
        [
            trap(
                "a length that does not match raises AttributeError",
                of="a length that does not match the expected length raises ValueError",
                keys=["length|longer|shorter", "AttributeError|NotImplementedError"],
            ),
        ],
    )


SESSION = RealSession(
    ask,
    "swe-agent/pydicom-1458.traj",
    "debugging",
    "pydicom asks float pixel data for an attribute that they must not have",
    "MIT",
    "https://github.com/SWE-agent/SWE-agent",
)
